"""Futures and a pool of threads.

Who refers to what: a submitted call lies in the pool's queue as a _Call; a worker takes
it out, runs it, empties it, and only then tells the future.  So when result() returns,
no worker refers to the call, its arguments or its result; the result belongs to the
future and dies with it.  Workers refer to the pool's _State, not to the executor: an
executor that is dropped without shutdown() tells its workers to end.
"""

import _thread
import os
import threading
import time
from collections import deque

FIRST_COMPLETED = "FIRST_COMPLETED"
FIRST_EXCEPTION = "FIRST_EXCEPTION"
ALL_COMPLETED = "ALL_COMPLETED"

PENDING = "PENDING"
RUNNING = "RUNNING"
CANCELLED = "CANCELLED"
FINISHED = "FINISHED"

TimeoutError = TimeoutError


class Error(Exception):
    pass


class CancelledError(Error):
    pass


class InvalidStateError(Error):
    pass


class BrokenExecutor(RuntimeError):
    pass


class Future:
    def __init__(self):
        self._condition = threading.Condition()
        self._state = PENDING
        self._result = None
        self._exception = None
        self._callbacks = []

    def __repr__(self):
        with self._condition:
            text = "<Future at %#x state=%s" % (id(self), self._state.lower())
            if self._state == FINISHED:
                if self._exception is not None:
                    text += " raised " + self._exception.__class__.__name__
                else:
                    text += " returned " + self._result.__class__.__name__
            return text + ">"

    def cancel(self):
        with self._condition:
            if self._state == RUNNING or self._state == FINISHED:
                return False
            if self._state == CANCELLED:
                return True
            self._state = CANCELLED
            self._condition.notify_all()
        self._run_callbacks()
        return True

    def cancelled(self):
        with self._condition:
            return self._state == CANCELLED

    def running(self):
        with self._condition:
            return self._state == RUNNING

    def done(self):
        with self._condition:
            return self._state == FINISHED or self._state == CANCELLED

    def _await(self, timeout):
        """With the condition held: returns when done, or raises."""
        if self._state == PENDING or self._state == RUNNING:
            self._condition.wait_for(self._is_done, timeout)
        if self._state == CANCELLED:
            raise CancelledError()
        if self._state != FINISHED:
            raise TimeoutError()

    def _is_done(self):
        return self._state == FINISHED or self._state == CANCELLED

    def result(self, timeout=None):
        with self._condition:
            self._await(timeout)
            if self._exception is None:
                return self._result
        try:
            raise self._exception
        finally:
            # Else the traceback's frame would keep the future in a cycle.
            self = None

    def exception(self, timeout=None):
        with self._condition:
            self._await(timeout)
            return self._exception

    def add_done_callback(self, function):
        with self._condition:
            if not self._is_done():
                self._callbacks.append(function)
                return
        self._call_back(function)

    def _call_back(self, function):
        try:
            function(self)
        except Exception as error:
            _thread._report("exception calling callback for %r\n" % (self,), error)

    def _run_callbacks(self):
        callbacks = self._callbacks
        self._callbacks = []
        for function in callbacks:
            self._call_back(function)

    def set_running_or_notify_cancel(self):
        with self._condition:
            if self._state == CANCELLED:
                return False
            if self._state != PENDING:
                raise RuntimeError("Future in unexpected state")
            self._state = RUNNING
            return True

    def set_result(self, result):
        with self._condition:
            if self._is_done():
                raise InvalidStateError("%s: %r" % (self._state, self))
            self._result = result
            del result
            self._state = FINISHED
            self._condition.notify_all()
        self._run_callbacks()

    def set_exception(self, exception):
        with self._condition:
            if self._is_done():
                raise InvalidStateError("%s: %r" % (self._state, self))
            self._exception = exception
            del exception
            self._state = FINISHED
            self._condition.notify_all()
        self._run_callbacks()

    def _take(self, call):
        """The result moves from the call, which is empty before anyone wakes up."""
        _thread._hand_over(call.result)
        with self._condition:
            self._result = call.result
            call.result = None
            self._state = FINISHED
            self._condition.notify_all()
        if self._callbacks:
            self._run_callbacks()


class _Call:
    __slots__ = ("future", "function", "args", "kwargs", "result")

    def __init__(self, future, function, args, kwargs):
        self.future = future
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.result = None

    def run(self):
        future = self.future
        if not future.set_running_or_notify_cancel():
            self.function = self.args = self.kwargs = None
            return
        try:
            self.result = self.function(*self.args, **self.kwargs)
        except BaseException as error:
            self.function = self.args = self.kwargs = None
            future.set_exception(error)
            # The traceback holds this frame, which must not hold the future.
            self = future = None
        else:
            self.function = self.args = self.kwargs = None
            future._take(self)


class _State:
    """What the workers of one pool share."""

    def __init__(self):
        self.condition = threading.Condition(threading.Lock())
        self.calls = deque()
        self.threads = []
        self.idle = 0
        self.left = 0            # workers that have ended
        self.stop = False        # no new calls; workers end when the queue is empty
        self.broken = None

    def next_call(self):
        condition = self.condition
        with condition:
            while not self.calls:
                if self.stop:
                    return None
                self.idle += 1
                try:
                    condition.wait()
                finally:
                    self.idle -= 1
            return self.calls.popleft()

    def close(self):
        with self.condition:
            self.stop = True
            self.condition.notify_all()


def _work(state, initializer, initargs):
    if initializer is not None:
        try:
            initializer(*initargs)
        except BaseException as error:
            _thread._report("Exception in initializer:\n", error)
            with state.condition:
                state.broken = "A thread initializer failed, the thread pool is not usable anymore"
                calls = list(state.calls)
                state.calls.clear()
            for call in calls:
                call.future.set_exception(BrokenThreadPool(state.broken))
            return
        initializer = initargs = None
    while True:
        call = state.next_call()
        if call is None:
            break
        call.run()
        # Nothing of the finished call stays with a worker that waits.
        del call
    with state.condition:
        state.left += 1
        last = state.left == len(state.threads)
    if last:
        _pools.pop(id(state), None)


_pools = {}                    # id -> _State of pools with threads that may still run
_pools_lock = threading.RLock()
_pool_number = [0]
_at_exit = [False, False]      # [a hook is registered, the interpreter is ending]


def _end_pools():
    _at_exit[1] = True
    with _pools_lock:
        states = list(_pools.copy().values())
    for state in states:
        state.close()
    for state in states:
        for thread in state.threads:
            thread.join()


class BrokenThreadPool(BrokenExecutor):
    pass


class Executor:
    def submit(self, fn, /, *args, **kwargs):
        raise NotImplementedError()

    def map(self, fn, *iterables, timeout=None, chunksize=1):
        end = None if timeout is None else timeout + time.monotonic()
        futures = [self.submit(fn, *args) for args in zip(*iterables)]
        futures.reverse()
        return _results(futures, end)

    def shutdown(self, wait=True, *, cancel_futures=False):
        pass

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.shutdown(wait=True)
        return False


def _results(futures, end):
    try:
        while futures:
            if end is None:
                yield futures.pop().result()
            else:
                yield futures.pop().result(end - time.monotonic())
    finally:
        for future in futures:
            future.cancel()


class ThreadPoolExecutor(Executor):
    def __init__(self, max_workers=None, thread_name_prefix="", initializer=None, initargs=()):
        if max_workers is None:
            max_workers = min(32, (os.cpu_count() or 1) + 4)
        if max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        if initializer is not None and not callable(initializer):
            raise TypeError("initializer must be a callable")
        self._max_workers = max_workers
        with _pools_lock:
            number = _pool_number[0]
            _pool_number[0] += 1
            if not _at_exit[0]:
                _at_exit[0] = True
                threading._register_atexit(_end_pools)
        self._thread_name_prefix = thread_name_prefix or "ThreadPoolExecutor-%d" % number
        self._initializer = initializer
        self._initargs = initargs
        self._state = _State()

    def submit(self, fn, /, *args, **kwargs):
        state = self._state
        future = Future()
        thread = None
        with state.condition:
            if state.broken:
                raise BrokenThreadPool(state.broken)
            if state.stop:
                raise RuntimeError("cannot schedule new futures after shutdown")
            if _at_exit[1]:
                raise RuntimeError("cannot schedule new futures after interpreter shutdown")
            state.calls.append(_Call(future, fn, args, kwargs))
            # A worker that was notified still counts as idle until it runs: compare
            # with the calls that wait, not with zero.
            if state.idle < len(state.calls) and len(state.threads) < self._max_workers:
                name = "%s_%d" % (self._thread_name_prefix, len(state.threads))
                thread = threading.Thread(name=name, target=_work,
                                          args=(state, self._initializer, self._initargs))
                state.threads.append(thread)
            else:
                state.condition.notify()
        if thread is not None:
            with _pools_lock:
                _pools[id(state)] = state
            thread.start()
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        state = self._state
        cancelled = []
        with state.condition:
            state.stop = True
            if cancel_futures:
                cancelled = list(state.calls)
                state.calls.clear()
            state.condition.notify_all()
        for call in cancelled:
            call.future.cancel()
        if wait:
            for thread in state.threads:
                thread.join()

    def __del__(self):
        state = getattr(self, "_state", None)
        if state is not None and not state.stop:
            state.stop = True
            if state.threads:
                _wake(state)


def _wake(state):
    """Ends the workers of a dropped pool.

    Runs as a finalizer, which may interrupt code that holds the pool's lock on this very
    thread; so it only tries, and leaves the rest to a thread of its own.
    """
    if state.condition.acquire(False):
        state.condition.notify_all()
        state.condition.release()
    else:
        threading.Thread(target=state.close, daemon=True).start()


class _Waiter:
    def __init__(self):
        self.condition = threading.Condition(threading.Lock())
        self.finished = []

    def add(self, future):
        with self.condition:
            self.finished.append(future)
            self.condition.notify()


class DoneAndNotDoneFutures(tuple):
    """A pair with names."""

    @property
    def done(self):
        return self[0]

    @property
    def not_done(self):
        return self[1]

    def __repr__(self):
        return "DoneAndNotDoneFutures(done=%r, not_done=%r)" % (self[0], self[1])


def wait(fs, timeout=None, return_when=ALL_COMPLETED):
    fs = set(fs)
    end = None if timeout is None else time.monotonic() + timeout
    waiter = _Waiter()
    for future in fs:
        future.add_done_callback(waiter.add)

    def enough():
        if len(waiter.finished) == len(fs):
            return True
        if return_when == FIRST_COMPLETED:
            return bool(waiter.finished)
        if return_when == FIRST_EXCEPTION:
            return any(not f.cancelled() and f._exception is not None for f in waiter.finished)
        return False

    with waiter.condition:
        while not enough():
            if end is None:
                waiter.condition.wait()
            else:
                left = end - time.monotonic()
                if left <= 0:
                    break
                waiter.condition.wait(left)
        done = set(waiter.finished)
    return DoneAndNotDoneFutures((done, fs - done))


def as_completed(fs, timeout=None):
    end = None if timeout is None else time.monotonic() + timeout
    pending = set(fs)
    total = len(pending)
    waiter = _Waiter()
    for future in pending:
        future.add_done_callback(waiter.add)
    del fs
    while pending:
        with waiter.condition:
            while not waiter.finished:
                if end is None:
                    waiter.condition.wait()
                else:
                    left = end - time.monotonic()
                    if left <= 0:
                        raise TimeoutError("%d (of %d) futures unfinished" % (len(pending), total))
                    waiter.condition.wait(left)
            finished = waiter.finished
            waiter.finished = []
        future = None
        finished.reverse()
        while finished:
            pending.discard(finished[-1])
            yield finished.pop()
