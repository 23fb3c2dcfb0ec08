# gc-stress: 20000
# Deep structures are freed, compared with recursion limits, and printed without native recursion.
import gc
import sys

N = 100000


class Node:
    def __init__(self, next):
        self.next = next


class Slotted:
    __slots__ = ("next",)

    def __init__(self, next):
        self.next = next


def build(make):
    v = None
    for _ in range(N):
        v = make(v)
    return v


for name, make in [("list", lambda v: [v]), ("tuple", lambda v: (v,)), ("dict", lambda v: {"k": v}), ("object", Node), ("slots", Slotted), ("lambda", lambda v: (lambda: v)), ("partial list", lambda v: [1, v, 2]),
                   ("iterator", lambda v: iter([v])), ("bound", lambda v: [v].append)]:
    x = build(make)
    del x
    print(name, "freed")
x = build(lambda v: [v])
x2 = x
print(gc.collect() >= 0)
del x, x2


def deep_gen(n):
    if n:
        yield from deep_gen(n - 1)
    yield n


print(len(list(deep_gen(200))))
cycle = build(lambda v: [v])
end = cycle
while end[0] is not None:
    end = end[0]
end[0] = cycle
del cycle, end
print(gc.collect() >= N)


def rec(n):
    return 0 if n == 0 else 1 + rec(n - 1)


print(rec(900))
try:
    rec(10 ** 6)
except RecursionError as e:
    print(type(e).__name__, str(e)[:32])
print(rec(500))


def mutual_a(n):
    return mutual_b(n)


def mutual_b(n):
    return mutual_a(n)


try:
    mutual_a(1)
except RecursionError:
    print("mutual")


class R:
    def __repr__(self):
        return repr(self)

    def __getattr__(self, name):
        return getattr(self, name + "x")

    def __eq__(self, o):
        return self == o

    def __len__(self):
        return len(self)

    def __call__(self):
        return self()

    def __iter__(self):
        return iter(self)


for f in (lambda: repr(R()), lambda: R().a, lambda: R() == 1, lambda: len(R()), lambda: R()(), lambda: iter(R())):
    try:
        f()
    except RecursionError:
        print("limit", end=" ")
print()
deep = build(lambda v: [v])
for f in (lambda: repr(deep), lambda: deep == build(lambda v: [v])):
    try:
        print(len(f()))
    except RecursionError:
        print("limit")
old = sys.getrecursionlimit()
sys.setrecursionlimit(200)
try:
    rec(300)
except RecursionError:
    print("lower limit")
sys.setrecursionlimit(old)
print(old, rec(300))
try:
    sys.setrecursionlimit(0)
except ValueError as e:
    print(e)
