# seconds: 120
# Objects that are dropped by other threads, in cycles, by threads that end: each finalizer runs once, each weak reference dies.
import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from worker_threads import run

N, M = 4, 500
deaths = []
callbacks = []


class Obj:
    def __init__(self, tag):
        self.tag = tag

    def __del__(self):
        deaths.append(self.tag)


def finish(expected):
    gc.collect()
    print(len(deaths) == len(set(deaths)) == expected, len(callbacks))
    deaths.clear()
    callbacks.clear()


# Made by one, dropped by another.
boxes = [[Obj((i, j)) for j in range(M)] for i in range(N)]
run(*[lambda i=i: boxes[(i + 1) % N].clear() for i in range(N)])
finish(N * M)

# Made in threads that end, dropped by the main thread.
made = []
run(*[lambda i=i: made.extend([Obj((i, j)) for j in range(M)]) for i in range(N)])
refs = [weakref.ref(o, callbacks.append) for o in made]
made.clear()
gc.collect()
print(all(r() is None for r in refs))
finish(N * M)

# Many references to each object, the last one somewhere.
objects = [Obj(i) for i in range(M)]
copies = [list(objects) for _ in range(N)]
objects.clear()
run(*[lambda c=c: c.clear() for c in copies])
finish(M)

# Cycles across threads.
def cycles(i):
    for j in range(M):
        a, b = Obj((i, j, "a")), Obj((i, j, "b"))
        a.other, b.other = b, a
        if j % 100 == 0:
            gc.collect()


run(*[lambda i=i: cycles(i) for i in range(N)])
finish(N * M * 2)

# Promotion of weak references against the last drop: a whole object or None.
wrong = []


def promote(ref, stop):
    while not stop.is_set():
        o = ref[0]()
        if o is not None and o.tag != "target":
            wrong.append(o.tag)
        o = None


cell = [lambda: None]
stop = threading.Event()


def recreate():
    for j in range(M):
        o = Obj("target")
        cell[0] = weakref.ref(o)
        o = None
    stop.set()


run(recreate, *[lambda: promote(cell, stop)] * 3)
gc.collect()
print(wrong, len(deaths))
deaths.clear()

# Resurrection by a finalizer that another thread's drop runs.
saved = []


class Phoenix:
    def __del__(self):
        saved.append(self)


birds = [Phoenix() for _ in range(100)]
run(birds.clear)
gc.collect()
print(len(saved), len(set(map(id, saved))))
saved.clear()
gc.collect()
print(len(saved))

# Results of a pool die with their futures.
with ThreadPoolExecutor(max_workers=N) as pool:
    futures = [pool.submit(Obj, i) for i in range(M)]
    print(sorted(f.result().tag for f in futures) == list(range(M)))
    futures.clear()
    for o in pool.map(Obj, range(M, 2 * M)):
        pass
    o = None
finish(2 * M)

# A WeakValueDictionary and a WeakSet that threads fill and empty.
cache = weakref.WeakValueDictionary()
members = weakref.WeakSet()


def use_cache(i):
    for j in range(200):
        o = cache.get(j)
        if o is None:
            o = Obj((i, j))
            cache[j] = o
        members.add(o)
        if o.tag[1] != j:
            wrong.append(o.tag)
        o = None


run(*[lambda i=i: use_cache(i) for i in range(N)])
gc.collect()
print(wrong, len(cache), len(members), len(deaths) == len(set(deaths)))
