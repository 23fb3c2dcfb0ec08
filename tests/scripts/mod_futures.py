# concurrent.futures: results, errors, cancellation, callbacks, map, wait, and what a worker holds on to.
import concurrent.futures
import gc
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor, Future, wait, as_completed


def results():
    with ThreadPoolExecutor(max_workers=3) as pool:
        print(bool(pool))
        f = pool.submit(pow, 3, 4)
        print(f.result(), f.done(), f.running(), f.cancelled(), f.exception())
        f = pool.submit(lambda *, a, b=2: (a, b), a=1)
        print(f.result(timeout=10))
        print(list(pool.map(lambda x, y: x * y, range(5), range(5, 10))))
        f = pool.submit(int, "x")
        try:
            f.result()
        except ValueError as error:
            print("ValueError:", error)
        print(type(f.exception()).__name__)
    try:
        pool.submit(len, "")
    except RuntimeError as error:
        print("RuntimeError:", error)
    try:
        ThreadPoolExecutor(0)
    except ValueError as error:
        print("ValueError:", error)


def both_run_at_once():
    barrier = threading.Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        a = pool.submit(barrier.wait, 30)
        b = pool.submit(barrier.wait, 30)
        print(sorted([a.result(), b.result()]))


def waiting():
    event = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(event.wait)
        queued = pool.submit(len, "abc")
        try:
            slow.result(timeout=0.01)
        except concurrent.futures.TimeoutError as error:
            print("TimeoutError", error.args, isinstance(error, TimeoutError))
        print(queued.cancel(), queued.cancelled(), queued.done(), slow.cancel())
        try:
            queued.result()
        except concurrent.futures.CancelledError:
            print("CancelledError")
        done, left = wait([slow], timeout=0.01)
        print(len(done), len(left))
        event.set()
        done, left = wait([slow, pool.submit(len, "")])
        print(len(done), len(left))
        futures = [pool.submit(lambda i=i: i) for i in range(5)]
        print(sorted(f.result() for f in as_completed(futures)))


def callbacks():
    told = []
    with ThreadPoolExecutor(1) as pool:
        f = pool.submit(lambda: 7)
        f.result()
        f.add_done_callback(lambda f: told.append(f.result()))
        event = threading.Event()
        g = pool.submit(event.wait)
        g.add_done_callback(lambda f: told.append("second"))
        event.set()
    print(told)


made, gone = deque(), deque()


class Thing:
    def __init__(self):
        made.append(1)

    def __del__(self):
        gone.append(1)


def settled(n):
    """Waits a little for workers that are just letting go."""
    end = time.monotonic() + 10
    while len(made) - len(gone) != n and time.monotonic() < end:
        time.sleep(0.001)
    return len(made) - len(gone)


def nothing_is_kept():
    with ThreadPoolExecutor(1) as pool:
        pool.submit(Thing).result()
        print("result dropped:", settled(0))
        f = pool.submit(Thing)
        f.result()
        print("held by the future:", settled(1))
        del f
        print("future dropped:", settled(0))
        pool.submit(id, Thing()).result()
        print("argument:", settled(0))

        def fail(thing):
            local = Thing()
            raise ValueError("no")

        f = pool.submit(fail, Thing())
        print(repr(f.exception()))
        del f, fail
        print("failed call:", settled(0))


def dropped_pool():
    pool = ThreadPoolExecutor(2)
    print(pool.submit(len, "four").result())
    names = [t.name for t in threading.enumerate() if "Pool" in t.name]
    print(len(names) >= 1)
    del pool
    gc.collect()
    end = time.monotonic() + 10
    while any("Pool" in t.name for t in threading.enumerate()) and time.monotonic() < end:
        time.sleep(0.001)
    print([t.name for t in threading.enumerate()])


def by_hand():
    f = Future()
    print(f.set_running_or_notify_cancel(), f.running())
    f.set_result(5)
    print(f.result(), f.done())
    f = Future()
    f.set_exception(KeyError("k"))
    try:
        f.result()
    except KeyError as error:
        print("KeyError:", error)


for test in (results, both_run_at_once, waiting, callbacks, nothing_is_kept, dropped_pool, by_hand):
    print("--", test.__name__)
    test()

# Left alone, the pool's threads end with the program.
left = ThreadPoolExecutor(2)
print(left.submit(len, "end").result())
