# Library objects used by several threads at once: what each promises per call holds.
# seconds: 120
import collections
import functools
import gc
import itertools
import queue
import random
import threading
import weakref
from collections import deque, defaultdict

N = 4


def together(*functions):
    """Runs each function on a thread, started at the same moment; re-raises what failed."""
    start = threading.Barrier(len(functions))
    failed = []

    def run(function):
        start.wait()
        try:
            function()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(f,)) for f in functions]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if failed:
        raise failed[0]


def deque_ends():
    d = deque()
    taken = [[] for _ in range(N)]

    def put(base):
        for i in range(150):
            if i % 2:
                d.append(base + i)
            else:
                d.appendleft(base + i)

    def take(out):
        while len(out) < 150:
            try:
                out.append(d.pop() if len(out) % 2 else d.popleft())
            except IndexError:
                pass

    together(*[lambda k=k: put(k * 1000) for k in range(N)], *[lambda out=out: take(out) for out in taken])
    whole = sorted(sum(taken, []))
    print("deque:", whole == sorted(k * 1000 + i for k in range(N) for i in range(150)), len(d))


def deque_readers():
    d = deque(range(100), maxlen=100)
    wrong = []

    def write():
        for i in range(400):
            d.append(i)

    def read():
        for _ in range(40):
            try:
                if not all(isinstance(x, int) for x in d):
                    wrong.append("item")
            except RuntimeError:
                pass
            if len(d.copy()) != 100 or not isinstance(d[50], int) or "deque" not in repr(d):
                wrong.append("copy")

    together(write, write, read, read)
    print("deque readers:", wrong)


def deque_clear():
    # Finalizers run in the middle of other code, so they take no lock: append is atomic.
    made, gone = deque(), deque()

    class Item:
        def __init__(self):
            made.append(1)

        def __del__(self):
            gone.append(1)

    d = deque()

    def fill():
        for _ in range(150):
            d.append(Item())

    def clear():
        for _ in range(40):
            d.clear()

    together(fill, fill, clear, clear)
    d.clear()
    gc.collect()
    print("deque clear:", len(made) - len(gone))


def default_dict():
    made = []

    def factory():
        made.append(1)
        return []

    d = defaultdict(factory)

    def work(n):
        for i in range(100):
            d[i].append(n)

    together(*[lambda n=n: work(n) for n in range(N)])
    print("defaultdict:", len(d), all(sorted(v) == list(range(N)) for v in d.values()), len(made) >= 100)


def caches():
    @functools.lru_cache(maxsize=16)
    def f(x):
        return x * 2

    def call(seed):
        r = random.Random(seed)
        for i in range(150):
            x = r.randrange(40)
            assert f(x) == x * 2
            if i % 100 == 0:
                f.cache_clear()

    together(*[lambda s=s: call(s) for s in range(N)])
    print("lru_cache:", f.cache_info().currsize <= 16)


def iterators():
    n = itertools.count()
    chain = itertools.chain(range(1000), range(1000, 2000))
    cycle = itertools.cycle([1, 2, 3])
    repeat = itertools.repeat("x", 1000)
    counts, chained, repeated, wrong = [], [], [], []

    def work():
        for _ in range(100):
            counts.append(next(n))
            if next(cycle) not in (1, 2, 3):
                wrong.append("cycle")
        for x in chain:
            chained.append(x)
        for x in repeat:
            repeated.append(x)

    together(*[work] * N)
    print("iterators:", sorted(counts) == list(range(100 * N)), set(chained) <= set(range(2000)), len(repeated) == 1000, wrong)


def weak_containers():
    class Thing:
        pass

    values = weakref.WeakValueDictionary()
    things = weakref.WeakSet()
    keys = weakref.WeakKeyDictionary()
    wrong = []

    def make():
        for i in range(100):
            t = Thing()
            t.n = i
            values[i % 20] = t
            things.add(t)
            keys[t] = i
            if keys[t] != i:
                wrong.append("key")

    def look():
        for _ in range(100):
            for k, v in values.items():
                if v is None or v.n % 20 != k:
                    wrong.append("value")
            for t in things:
                if t is None:
                    wrong.append("set")
            len(keys)

    together(make, make, look, look)
    gc.collect()
    print("weak containers:", len(values), len(things), len(keys), wrong)


def weak_callbacks():
    class Thing:
        pass

    told = deque()
    thing = Thing()

    def make():
        for _ in range(100):
            r = weakref.ref(thing, told.append)
            assert r() is thing
            del r

    def look():
        for _ in range(100):
            assert weakref.getweakrefcount(thing) >= 0
            for r in weakref.getweakrefs(thing):
                x = r()
                assert x is thing

    together(make, make, look)
    print("weak callbacks:", weakref.getweakrefcount(thing), len(told))


def thread_locals():
    data = threading.local()
    wrong = []

    def work(n):
        for i in range(100):
            data.value = (n, i)
            if data.value != (n, i):
                wrong.append(n)

    together(*[lambda n=n: work(n) for n in range(N)])
    print("locals:", wrong, hasattr(data, "value"))


def conditions():
    q = queue.Queue(maxsize=3)
    got = []

    def put():
        for i in range(100):
            q.put(i)

    def get():
        for _ in range(100):
            got.append(q.get())
            q.task_done()

    together(put, put, get, get)
    q.join()
    print("queue:", sorted(got) == sorted(list(range(100)) * 2))


def semaphores():
    s = threading.Semaphore(2)
    inside = []
    most = [0]
    lock = threading.Lock()

    def work():
        for _ in range(100):
            with s:
                with lock:
                    inside.append(1)
                    most[0] = max(most[0], len(inside))
                with lock:
                    inside.pop()

    together(*[work] * N)
    print("semaphore:", most[0] <= 2, inside)


def barriers():
    barrier = threading.Barrier(N)
    rounds = [0] * N
    wrong = []

    def work(n):
        for i in range(20):
            rounds[n] = i
            barrier.wait()
            if any(r not in (i, i + 1) for r in rounds):
                wrong.append(i)
            barrier.wait()

    together(*[lambda n=n: work(n) for n in range(N)])
    print("barrier:", wrong)


def collections_while_running():
    stop = threading.Event()
    d = deque()

    def churn():
        while not stop.is_set():
            d.append([d])
            if len(d) > 50:
                d.popleft()

    def collect():
        for _ in range(5):
            gc.collect()
        stop.set()

    together(churn, churn, collect)
    print("collections:", len(d) <= 60)


for test in (deque_ends, deque_readers, deque_clear, default_dict, caches, iterators, weak_containers, weak_callbacks,
             thread_locals, conditions, semaphores, barriers, collections_while_running):
    test()
