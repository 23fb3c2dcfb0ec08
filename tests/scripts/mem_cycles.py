# Cycles of every kind go in a collection: instances, containers, closures, bound methods, classes, generators, exceptions.
import collections
import functools
import gc
import itertools
import weakref

gc.disable()
gc.collect()


class Node:
    pass


def check(name, ref):
    before = ref() is not None
    gc.collect()
    print(name, before, ref() is None)


def instance():
    a, b = Node(), Node()
    a.b, b.a = b, a
    return weakref.ref(a)


check("instances", instance())


def through(make):
    n = Node()
    n.box = make(n)
    return weakref.ref(n)


for name, make in [("list", lambda n: [n]), ("tuple", lambda n: (n,)), ("dict value", lambda n: {1: n}), ("dict key", lambda n: {n: 1}),
                   ("set", lambda n: {n}), ("frozenset", lambda n: frozenset([n])), ("deque", lambda n: collections.deque([n])),
                   ("defaultdict", lambda n: collections.defaultdict(lambda: n)), ("closure", lambda n: lambda: n),
                   ("default", lambda n: lambda x=n: x), ("partial", lambda n: functools.partial(print, n)),
                   ("iterator", lambda n: iter([n])), ("map", lambda n: map(id, [n])), ("zip", lambda n: zip([n], [1])),
                   ("enumerate", lambda n: enumerate([n])), ("reversed", lambda n: reversed([n])), ("filter", lambda n: filter(None, [n])),
                   ("chain", lambda n: itertools.chain([n], [1])), ("cycle", lambda n: itertools.cycle([n])),
                   ("dict view", lambda n: {1: n}.values()), ("dict iterator", lambda n: iter({1: n}.items())),
                   ("generator", lambda n: (x for x in [n])), ("property", lambda n: property(lambda self: n)),
                   ("staticmethod", lambda n: staticmethod(lambda: n)), ("slice", lambda n: slice(n, None)),
                   ("exception", lambda n: ValueError(n)), ("Counter", lambda n: collections.Counter({n: 1})),
                   ("OrderedDict", lambda n: collections.OrderedDict([(1, n)])), ("weak value", lambda n: [weakref.ref(n), n])]:
    check(name, through(make))


def bound():
    n = Node()
    Node.method = lambda self: self
    n.m = n.method
    return weakref.ref(n)


check("bound method", bound())


def klass():
    class Local:
        def method(self):
            return Local
    x = Local()
    Local.instance = x
    return weakref.ref(Local)


check("class", klass())


def slotted():
    class S:
        __slots__ = ("me", "__weakref__")
    s = S()
    s.me = s
    return weakref.ref(s)


check("slots", slotted())


def subclass():
    class L(list):
        pass
    l = L()
    l.append(l)
    return weakref.ref(l)


check("list subclass", subclass())


def recursive():
    def f(n):
        return f(n - 1) if n else 0
    f(3)
    return weakref.ref(f)


check("recursive function", recursive())


def mutual():
    a, b = Node(), Node()
    a.f = lambda: b
    b.f = lambda: a
    return weakref.ref(b)


check("two closures", mutual())


def long_ring(n):
    first = last = Node()
    for i in range(n):
        new = Node()
        last.next = new
        last = new
    last.next = first
    return weakref.ref(first)


check("ring of 20000", long_ring(20000))


# What is reached from outside stays, whatever its company.
def survivor():
    kept, lost = Node(), Node()
    kept.lost, lost.kept, lost.me = Node(), kept, lost
    return kept, weakref.ref(lost), weakref.ref(kept.lost)


kept, lost, part = survivor()
gc.collect()
print(kept is not None, lost() is None, part() is kept.lost)
print(gc.garbage)
