"""Threads and what they wait on.

The native module _thread has the parts that block (Lock, RLock, Event, the handle of a
thread); here is what can be said in the language itself: Thread, Condition, Semaphore,
Barrier and the table of running threads.

A thread is joined through its handle, which is done only after the thread has left the
isolate: when join() returns, the frames, the locals and the arguments of the target are
gone.  The table _active holds a Thread only while it runs.
"""

import _thread
from _thread import get_ident, get_native_id, RLock, Event, TIMEOUT_MAX
from _thread import allocate_lock as Lock
from _thread import _local as local
import time

# Guards _active, _counter and _exit_calls. Re-entrant: a finalizer that runs under it may
# start a thread.
_table_lock = RLock()
_active = {}                  # ident -> Thread
_counter = [0]
_exit_calls = []

ThreadError = RuntimeError


class BrokenBarrierError(RuntimeError):
    pass


def _next_name(target):
    with _table_lock:
        _counter[0] += 1
        number = _counter[0]
    name = "Thread-%d" % number
    if target is not None:
        inner = getattr(target, "__name__", None)
        if inner is not None:
            name = "%s (%s)" % (name, inner)
    return name


class Thread:
    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None, *, daemon=None):
        assert group is None, "group argument must be None for now"
        if name is None:
            name = _next_name(target)
        self._target = target
        self._name = str(name)
        self._args = args
        self._kwargs = {} if kwargs is None else kwargs
        self._daemonic = current_thread().daemon if daemon is None else bool(daemon)
        self._ident = None
        self._native_id = None
        self._handle = _thread._ThreadHandle()
        self._running = Event()
        self._start_called = False

    def start(self):
        if not hasattr(self, "_handle"):
            raise RuntimeError("thread.__init__() not called")
        with _table_lock:
            if self._start_called:
                raise RuntimeError("threads can only be started once")
            self._start_called = True
        try:
            _thread.start_joinable_thread(self._bootstrap, self._handle, self._daemonic)
        except BaseException:
            self._start_called = False
            raise
        self._running.wait()

    def run(self):
        try:
            if self._target is not None:
                self._target(*self._args, **self._kwargs)
        finally:
            # Whatever the target was called with dies here, on its own thread.
            del self._target, self._args, self._kwargs

    def _bootstrap(self):
        self._ident = get_ident()
        self._native_id = get_native_id()
        with _table_lock:
            _active[self._ident] = self
        self._running.set()
        try:
            self.run()
        except SystemExit:
            pass
        except BaseException as error:
            excepthook(ExceptHookArgs((type(error), error, error.__traceback__, self)))
        finally:
            with _table_lock:
                if _active.get(self._ident) is self:
                    del _active[self._ident]

    def join(self, timeout=None):
        if not hasattr(self, "_handle"):
            raise RuntimeError("Thread.__init__() not called")
        if not self._start_called:
            raise RuntimeError("cannot join thread before it is started")
        if self is current_thread():
            raise RuntimeError("cannot join current thread")
        if timeout is None:
            self._handle.join()
        else:
            self._handle.join(max(timeout, 0))

    def is_alive(self):
        return self._start_called and self._running.is_set() and not self._handle.is_done()

    @property
    def name(self):
        return self._name

    @name.setter
    def name(self, value):
        self._name = str(value)

    @property
    def ident(self):
        return self._ident

    @property
    def native_id(self):
        return self._native_id

    @property
    def daemon(self):
        return self._daemonic

    @daemon.setter
    def daemon(self, value):
        if self._start_called:
            raise RuntimeError("cannot set daemon status of active thread")
        self._daemonic = bool(value)

    def getName(self):
        return self._name

    def setName(self, name):
        self._name = str(name)

    def isDaemon(self):
        return self._daemonic

    def setDaemon(self, daemonic):
        self.daemon = daemonic

    def __repr__(self):
        if not self._start_called:
            status = "initial"
        elif self.is_alive():
            status = "started"
        else:
            status = "stopped"
        if self._daemonic:
            status += " daemon"
        if self._ident is not None:
            status += " %s" % self._ident
        return "<%s(%s, %s)>" % (self.__class__.__name__, self._name, status)


class _MainThread(Thread):
    def __init__(self):
        Thread.__init__(self, name="MainThread", daemon=False)
        self._adopt()

    def _adopt(self):
        self._start_called = True
        self._ident = get_ident()
        self._native_id = get_native_id()
        self._running.set()
        with _table_lock:
            _active[self._ident] = self

    def join(self, timeout=None):
        if self is current_thread():
            raise RuntimeError("cannot join current thread")
        raise RuntimeError("cannot join the main thread")


class _DummyThread(_MainThread):
    """Stands for a thread that was not started here."""

    def __init__(self):
        Thread.__init__(self, name=_next_name(None).replace("Thread-", "Dummy-"), daemon=True)
        self._adopt()

    def is_alive(self):
        return True

    def join(self, timeout=None):
        raise RuntimeError("cannot join a dummy thread")


class Timer(Thread):
    """Calls a function after a time, unless it is cancelled."""

    def __init__(self, interval, function, args=None, kwargs=None):
        Thread.__init__(self)
        self.interval = interval
        self.function = function
        self.args = [] if args is None else args
        self.kwargs = {} if kwargs is None else kwargs
        self.finished = Event()

    def cancel(self):
        self.finished.set()

    def run(self):
        if not self.finished.wait(self.interval):
            self.function(*self.args, **self.kwargs)
        self.finished.set()


class ExceptHookArgs:
    def __init__(self, args):
        self.exc_type, self.exc_value, self.exc_traceback, self.thread = args


def excepthook(args):
    name = args.thread.name if args.thread is not None else str(get_ident())
    _thread._report("Exception in thread %s:\n" % name, args.exc_value)


def current_thread():
    thread = _active.get(get_ident())
    if thread is None:
        thread = _DummyThread()
    return thread


def main_thread():
    return _main_thread


def enumerate():
    with _table_lock:
        return list(_active.values())


def active_count():
    with _table_lock:
        return len(_active)


currentThread = current_thread
activeCount = active_count


class Condition:
    """Waiters queue up as locks that they hold and that notify() releases."""

    def __init__(self, lock=None):
        if lock is None:
            lock = RLock()
        self._lock = lock
        self._waiters = []
        self.acquire = lock.acquire
        self.release = lock.release

    def __enter__(self):
        return self._lock.__enter__()

    def __exit__(self, kind, value, traceback):
        return self._lock.__exit__(kind, value, traceback)

    def __repr__(self):
        return "<Condition(%s, %d)>" % (self._lock, len(self._waiters))

    def _is_owned(self):
        lock = self._lock
        if hasattr(lock, "_is_owned"):
            return lock._is_owned()
        if lock.acquire(False):
            lock.release()
            return False
        return True

    def wait(self, timeout=None):
        if not self._is_owned():
            raise RuntimeError("cannot wait on un-acquired lock")
        mine = Lock()
        mine.acquire()
        self._waiters.append(mine)
        lock = self._lock
        nested = hasattr(lock, "_release_save")
        state = None
        if nested:
            state = lock._release_save()
        else:
            lock.release()
        got = False
        try:
            if timeout is None:
                got = mine.acquire()
            elif timeout > 0:
                got = mine.acquire(True, timeout)
            else:
                got = mine.acquire(False)
            return got
        finally:
            if nested:
                lock._acquire_restore(state)
            else:
                lock.acquire()
            if not got:
                try:
                    self._waiters.remove(mine)
                except ValueError:
                    pass

    def wait_for(self, predicate, timeout=None):
        result = predicate()
        if result:
            return result
        end = None if timeout is None else time.monotonic() + timeout
        while not result:
            if end is None:
                self.wait()
            else:
                left = end - time.monotonic()
                if left <= 0:
                    break
                self.wait(left)
            result = predicate()
        return result

    def notify(self, n=1):
        if not self._is_owned():
            raise RuntimeError("cannot notify on un-acquired lock")
        waiters = self._waiters
        while n > 0 and waiters:
            waiters.pop(0).release()
            n -= 1

    def notify_all(self):
        self.notify(len(self._waiters))

    notifyAll = notify_all


class Semaphore:
    def __init__(self, value=1):
        if value < 0:
            raise ValueError("semaphore initial value must be >= 0")
        self._cond = Condition(Lock())
        self._value = value

    def __repr__(self):
        return "<%s.%s at %#x: value=%d>" % (
            "threading", self.__class__.__name__, id(self), self._value)

    def acquire(self, blocking=True, timeout=None):
        if not blocking and timeout is not None:
            raise ValueError("can't specify timeout for non-blocking acquire")
        end = None if timeout is None else time.monotonic() + timeout
        with self._cond:
            while self._value == 0:
                if not blocking:
                    return False
                if end is None:
                    self._cond.wait()
                else:
                    left = end - time.monotonic()
                    if left <= 0:
                        return False
                    self._cond.wait(left)
            self._value -= 1
            return True

    def __enter__(self):
        return self.acquire()

    def release(self, n=1):
        if n < 1:
            raise ValueError("n must be one or more")
        with self._cond:
            self._value += n
            self._cond.notify(n)

    def __exit__(self, kind, value, traceback):
        self.release()


class BoundedSemaphore(Semaphore):
    def __init__(self, value=1):
        Semaphore.__init__(self, value)
        self._initial_value = value

    def release(self, n=1):
        if n < 1:
            raise ValueError("n must be one or more")
        with self._cond:
            if self._value + n > self._initial_value:
                raise ValueError("Semaphore released too many times")
            self._value += n
            self._cond.notify(n)


class Barrier:
    """Lets `parties` threads go when the last of them has come.

    _state is "filling" while they come, "draining" while the released ones leave,
    "resetting" while those that a reset() woke leave, and "broken" for ever, or until
    a reset(), after abort() or a timeout.
    """

    def __init__(self, parties, action=None, timeout=None):
        self._cond = Condition(Lock())
        self._action = action
        self._timeout = timeout
        self._parties = parties
        self._state = "filling"
        self._count = 0

    def wait(self, timeout=None):
        if timeout is None:
            timeout = self._timeout
        with self._cond:
            while self._state == "draining" or self._state == "resetting":
                self._cond.wait()
            if self._state == "broken":
                raise BrokenBarrierError
            index = self._count
            self._count += 1
            try:
                if index + 1 == self._parties:
                    self._release()
                else:
                    self._wait(timeout)
                return index
            finally:
                self._count -= 1
                if self._count == 0 and self._state != "broken":
                    self._state = "filling"
                    self._cond.notify_all()

    def _release(self):
        try:
            if self._action is not None:
                self._action()
            self._state = "draining"
            self._cond.notify_all()
        except BaseException:
            self._break()
            raise

    def _wait(self, timeout):
        if not self._cond.wait_for(self._filled, timeout):
            self._break()
            raise BrokenBarrierError
        if self._state != "draining":
            raise BrokenBarrierError

    def _filled(self):
        return self._state != "filling"

    def _break(self):
        self._state = "broken"
        self._cond.notify_all()

    def reset(self):
        with self._cond:
            if self._count > 0:
                self._state = "resetting"
            else:
                self._state = "filling"
            self._cond.notify_all()

    def abort(self):
        with self._cond:
            self._break()

    @property
    def parties(self):
        return self._parties

    @property
    def n_waiting(self):
        return self._count if self._state == "filling" else 0

    @property
    def broken(self):
        return self._state == "broken"

    def __repr__(self):
        if self.broken:
            return "<threading.Barrier at %#x: broken>" % id(self)
        return "<threading.Barrier at %#x: waiters=%d/%d>" % (
            id(self), self.n_waiting, self.parties)


def _register_atexit(function, *args, **kwargs):
    """Runs before the threads that are still there are joined at the end."""
    with _table_lock:
        _exit_calls.append((function, args, kwargs))


def _shutdown():
    """Called by the runtime when the main script has ended."""
    while True:
        with _table_lock:
            if not _exit_calls:
                break
            function, args, kwargs = _exit_calls.pop()
        function(*args, **kwargs)
    me = current_thread()
    while True:
        waiting = [t for t in enumerate() if t is not me and not t.daemon]
        if not waiting:
            break
        for thread in waiting:
            thread.join()
            # It takes itself out, unless it had no memory for that.
            _active.pop(thread.ident, None)


_main_thread = None
_main_thread = _MainThread()
