# threading: Thread, locks, Event, Condition, Semaphore, Barrier, local, and their errors.
import threading
import time

log = []


def basics():
    def work(a, b=0, *, c=0):
        log.append((a, b, c, threading.current_thread().name))

    t = threading.Thread(target=work, args=(1,), kwargs={"c": 3}, name="worker")
    print(t.name, t.is_alive(), t.daemon, t.ident is None)
    t.start()
    t.join()
    print(log.pop(), t.is_alive(), t.ident is not None)
    try:
        t.start()
    except RuntimeError as error:
        print("RuntimeError:", error)
    try:
        threading.Thread().join()
    except RuntimeError as error:
        print("RuntimeError:", error)
    try:
        threading.current_thread().join()
    except RuntimeError as error:
        print("RuntimeError:", error)
    print(threading.current_thread() is threading.main_thread(), threading.main_thread().name)
    print(threading.active_count(), [x.name for x in threading.enumerate()])
    print(threading.get_ident() == threading.main_thread().ident)

    class Mine(threading.Thread):
        def __init__(self, n):
            super().__init__()
            self.n = n

        def run(self):
            self.result = self.n * self.n

    threads = [Mine(i) for i in range(5)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print([t.result for t in threads])


def locks():
    lock = threading.Lock()
    print(lock.acquire(), lock.locked(), lock.acquire(False), lock.acquire(timeout=0.01))
    lock.release()
    print(lock.locked())
    try:
        lock.release()
    except RuntimeError as error:
        print("RuntimeError:", error)
    with lock:
        print(lock.locked())
    for args in ((False, 1), (True, -2)):
        try:
            lock.acquire(*args)
        except ValueError as error:
            print("ValueError:", error)

    # Another thread may release a lock.
    lock.acquire()
    t = threading.Thread(target=lock.release)
    t.start()
    print(lock.acquire(timeout=10))
    t.join()
    lock.release()

    r = threading.RLock()
    print(r.acquire(), r.acquire(), r.acquire(False))
    got = []
    t = threading.Thread(target=lambda: got.append(r.acquire(False)))
    t.start()
    t.join()
    print(got)
    for _ in range(3):
        r.release()
    try:
        r.release()
    except RuntimeError as error:
        print("RuntimeError:", error)
    print(repr(r).split(" object")[0], repr(lock).split(" object")[0])

    total = [0]

    def add():
        for _ in range(1000):
            with lock:
                total[0] += 1

    threads = [threading.Thread(target=add) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(total)


def events():
    event = threading.Event()
    print(event.is_set(), event.wait(0.01), event.wait(0))
    t = threading.Thread(target=lambda: log.append(event.wait()))
    t.start()
    event.set()
    t.join()
    print(log.pop(), event.is_set(), event.wait())
    event.clear()
    print(event.is_set())
    start = time.monotonic()
    print(event.wait(timeout=0.05), time.monotonic() - start >= 0.045)


def conditions():
    cond = threading.Condition()
    items = []

    def consume():
        with cond:
            while not items:
                cond.wait()
            log.append(items.pop(0))

    threads = [threading.Thread(target=consume) for _ in range(3)]
    for t in threads:
        t.start()
    for i in range(3):
        with cond:
            items.append(i)
            cond.notify()
    for t in threads:
        t.join()
    print(sorted(log))
    log.clear()
    with cond:
        print(cond.wait(0.01), cond.wait_for(lambda: True), cond.wait_for(lambda: False, 0.01))
        # A recursive hold is given up as a whole.
        with cond:
            t = threading.Thread(target=lambda: cond.acquire() and (cond.notify_all(), cond.release()))
            t.start()
            print(cond.wait(10))
            t.join()
    for call in (cond.wait, cond.notify):
        try:
            call()
        except RuntimeError as error:
            print("RuntimeError:", error)


def semaphores():
    s = threading.Semaphore(2)
    print(s.acquire(), s.acquire(), s.acquire(False), s.acquire(timeout=0.01))
    s.release(2)
    with s:
        print(s.acquire(blocking=False))
        s.release()
    b = threading.BoundedSemaphore(1)
    try:
        b.release()
    except ValueError as error:
        print("ValueError:", error)
    try:
        threading.Semaphore(-1)
    except ValueError as error:
        print("ValueError:", error)


def barriers():
    n = 4
    barrier = threading.Barrier(n, action=lambda: log.append("action"))
    numbers = []

    def work():
        for _ in range(3):
            numbers.append(barrier.wait())

    threads = [threading.Thread(target=work) for _ in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(sorted(numbers), log, barrier.parties, barrier.n_waiting, barrier.broken)
    log.clear()

    # A timeout breaks it for all; a reset makes it whole.
    outcome = []

    def fail():
        try:
            barrier.wait(0.05)
        except threading.BrokenBarrierError:
            outcome.append("broken")

    threads = [threading.Thread(target=fail) for _ in range(n - 1)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(outcome, barrier.broken)
    try:
        barrier.wait()
    except threading.BrokenBarrierError as error:
        print("BrokenBarrierError", error.args)
    barrier.reset()
    print(barrier.broken)
    threads = [threading.Thread(target=barrier.wait) for _ in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    barrier.abort()
    print(barrier.broken)


def locals_():
    data = threading.local()
    data.x = 1
    seen = []

    def work(n):
        seen.append(hasattr(data, "x"))
        data.x = n
        time.sleep(0.01)
        seen.append(data.x == n)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(sorted(seen), data.x, data.__dict__)
    del data.x
    try:
        data.x
    except AttributeError:
        print("AttributeError")

    class Counter(threading.local):
        start = 5

        def __init__(self, step):
            self.value = step

        def bump(self):
            self.value += 1
            return self.value

    c = Counter(10)
    c.bump()
    values = []
    t = threading.Thread(target=lambda: values.append((c.bump(), c.start)))
    t.start()
    t.join()
    print(c.value, values)

    class Gone:
        def __del__(self):
            log.append("gone")

    def hold():
        data.thing = Gone()

    t = threading.Thread(target=hold)
    t.start()
    t.join()
    print(log)
    log.clear()


def frames_are_gone_after_join():
    class Tracked:
        alive = 0

        def __init__(self):
            Tracked.alive += 1

        def __del__(self):
            Tracked.alive -= 1

    def work(argument):
        local = Tracked()
        both = [argument, local]
        return both

    for _ in range(20):
        t = threading.Thread(target=work, args=(Tracked(),))
        t.start()
        t.join()
        assert Tracked.alive == 0, Tracked.alive
    print("alive after join:", Tracked.alive)


def timers():
    done = threading.Event()
    t = threading.Timer(0.01, done.set)
    t.start()
    print(done.wait(10))
    t.join()
    t = threading.Timer(60, log.append, args=["never"])
    t.start()
    t.cancel()
    t.join(10)
    print(t.is_alive(), log)


for test in (basics, locks, events, conditions, semaphores, barriers, locals_, frames_are_gone_after_join, timers):
    print("--", test.__name__)
    test()
