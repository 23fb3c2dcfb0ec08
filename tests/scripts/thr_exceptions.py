# Exceptions in threads: each thread its own, carried by futures, shared objects raised by many.
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, wait, as_completed, FIRST_EXCEPTION
from worker_threads import run

N = 4
wrong = []


# The exception being handled belongs to the thread.
barrier = threading.Barrier(N)


def handles(i):
    try:
        raise ValueError(i)
    except ValueError as e:
        barrier.wait()
        if sys.exc_info()[1] is not e or e.args != (i,):
            wrong.append(i)
        try:
            raise KeyError(i)
        except KeyError as k:
            barrier.wait()
            if k.__context__ is not e:
                wrong.append((i, "context"))
        barrier.wait()
        if sys.exc_info()[1] is not e:
            wrong.append((i, "back"))
    if sys.exc_info() != (None, None, None):
        wrong.append((i, "after"))


run(*[lambda i=i: handles(i) for i in range(N)])
print(wrong)

# One exception object that all threads raise: tracebacks grow, nothing breaks.
shared = RuntimeError("shared")


def raises():
    for j in range(200):
        try:
            raise shared
        except RuntimeError as e:
            if e is not shared:
                wrong.append(j)
            e.__traceback__ = None


run(*[raises] * N)
print(wrong, shared.args)


def depth(n):
    return depth(n - 1) + 1 if n else 1 // 0


def deep():
    for n in range(0, 60, 3):
        try:
            depth(n)
        except ZeroDivisionError as e:
            tb, count = e.__traceback__, 0
            while tb is not None:
                tb, count = tb.tb_next, count + 1
            if count != n + 2:
                wrong.append((n, count))


run(*[deep] * N)
print(wrong)


# Recursion limits are per thread.
def endless():
    return endless() + 1


caught = []


def too_deep():
    try:
        endless()
    except RecursionError as e:
        caught.append(type(e).__name__)


run(*[too_deep] * N)
print(caught)

with ThreadPoolExecutor(max_workers=N) as pool:
    def job(i):
        if i % 3 == 0:
            raise ValueError("job %d" % i)
        return i

    futures = [pool.submit(job, i) for i in range(12)]
    print([f.exception() and str(f.exception()) for f in futures])
    for f in futures[:2]:
        try:
            print(f.result())
        except ValueError as e:
            print("raised", e, e is f.exception())
    done = sorted(f.result() for f in as_completed(futures) if f.exception() is None)
    print(done)
    results = pool.map(job, [1, 2, 3, 4])
    try:
        for r in results:
            print(r)
    except ValueError as e:
        print("map", e)
    called = []
    f = pool.submit(job, 5)
    f.add_done_callback(lambda f: called.append(f.result()))
    f.result()
    f.add_done_callback(lambda f: called.append("late"))
    print(sorted(map(str, called))[-1], f.done(), f.cancelled(), f.cancel())
    done, pending = wait([pool.submit(job, i) for i in (1, 2)])
    print(len(done), len(pending))

# Generators: an exception thrown in by another thread.
def gen():
    while True:
        try:
            yield "on"
        except KeyError as e:
            yield "caught %s" % e.args


g = gen()
next(g)
got = []
run(lambda: got.append(g.throw(KeyError("from afar"))))
print(got, next(g))


# A lock that is held when an exception passes is released on the way.
lock = threading.Lock()


def leaves_locked():
    try:
        with lock:
            raise OSError("inside")
    except OSError:
        pass


run(*[leaves_locked] * N)
print(lock.locked())
