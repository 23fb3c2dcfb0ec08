# functools: caches and what they keep alive, dispatch, partial methods, properties that are kept.
import functools
import gc
import threading
import weakref
from functools import (cache, cached_property, cmp_to_key, lru_cache, partial, partialmethod, reduce, singledispatch,
                       singledispatchmethod, total_ordering, wraps)


class Thing:
    def __init__(self, n=0):
        self.n = n

    def __hash__(self):
        return self.n

    def __eq__(self, other):
        return self.n == other.n


calls = []


@lru_cache(maxsize=2)
def square(x, *, plus=0):
    """Squares."""
    calls.append(x)
    return x * x + plus


print(square(2), square(2), square(3), square(2, plus=1), square(2), square.cache_info(), calls)
square.cache_clear()
print(square.cache_info(), square.__name__, square.__doc__, square.__wrapped__(4), square.cache_parameters())


@lru_cache(maxsize=3)
def keep(t):
    return [t.n]


things = [Thing(i) for i in range(5)]
refs = [weakref.ref(t) for t in things]
for t in things:
    keep(t)
del things, t
gc.collect()
print([r() is not None for r in refs])
keep.cache_clear()
gc.collect()
print([r() is not None for r in refs])


@cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(80), fib.cache_info().currsize)


@lru_cache(maxsize=None, typed=True)
def kind(x):
    return type(x).__name__


print(kind(1), kind(1.0), kind(True), kind.cache_info())
for bad in (lambda: square([1]), lambda: lru_cache("x")):
    try:
        bad()
    except TypeError as e:
        print(e)


@singledispatch
def show(x):
    return "object %r" % (x,)


@show.register
def _(x: int):
    return "int %d" % x


@show.register(list)
@show.register(tuple)
def _(x):
    return "[%s]" % ", ".join([show(i) for i in x])


class MyInt(int):
    pass


print(show(1), show([1, "a", (2,)]), show(True), show(MyInt(3)), show(None), show.dispatch(bool)(5), sorted([k.__name__ for k in show.registry]))
show.register(str, lambda s: "str " + s)
print(show("x"))


class Formatter:
    @singledispatchmethod
    def format(self, x):
        return "any"

    @format.register
    def _(self, x: int):
        return "int%d" % (x + self.base)

    @format.register(str)
    def _(self, x):
        return "str" + x
    base = 10


print(Formatter().format(1), Formatter().format("s"), Formatter().format(2.5))


class Cell:
    alive = False

    def set_state(self, state, times=1):
        self.alive = state
        return times

    set_alive = partialmethod(set_state, True)
    set_twice = partialmethod(set_state, times=2)


c = Cell()
print(c.set_alive(), c.alive, c.set_twice(False), c.alive, Cell.set_alive(c, 5))
add = partial(lambda *a, **k: (a, k), 1, x=2)
print(add(3, y=4), add(x=9), add.func is not None, add.args, add.keywords, partial(add, 5)(6), partial(int, base=2)("101"))


class Data:
    made = 0

    @cached_property
    def value(self):
        Data.made += 1
        return Thing(5)


d = Data()
r = weakref.ref(d.value)
print(d.value is d.value, Data.made, "value" in d.__dict__, r() is not None)
del d.value
print(r(), d.value.n, Data.made)
d.value = "set"
print(d.value, type(Data.value).__name__)
del d
print(Data.made)


@total_ordering
class Version:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return self.n == other.n

    def __lt__(self, other):
        return self.n < other.n


print(Version(1) <= Version(2), Version(2) > Version(1), Version(1) >= Version(1), sorted([Version(2), Version(1)])[0].n)
print(sorted(["b", "A", "c"], key=cmp_to_key(lambda a, b: (a.lower() > b.lower()) - (a.lower() < b.lower()))), reduce(lambda a, b: a + b, "abc", ">"))
try:
    reduce(lambda a, b: a, [])
except TypeError as e:
    print(e)


def deco(f):
    @wraps(f, updated=())
    def inner(*a):
        return f(*a)
    return inner


@deco
def named(x):
    "doc"


print(named.__name__, named.__doc__, named.__wrapped__.__qualname__, named.__module__)

# A cached function asked by many threads computes a right answer each time.
counts = []


@lru_cache(maxsize=8)
def slow(n):
    counts.append(n)
    return [n, n * n]


wrong = []


def ask():
    for i in range(400):
        n = i % 12
        if slow(n) != [n, n * n]:
            wrong.append(n)


threads = [threading.Thread(target=ask) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
info = slow.cache_info()
print(wrong, info.currsize, info.hits + info.misses, info.misses == len(counts))
