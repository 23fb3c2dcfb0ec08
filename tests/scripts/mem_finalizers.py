# __del__: once per object, resurrection, exceptions, order with weakrefs and attributes.
import gc
import sys
import weakref

gc.disable()
log = []


class F:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        log.append("del " + self.name)


class Res:
    saved = None

    def __del__(self):
        log.append("resurrect")
        Res.saved = self


r = Res()
r.tag = "alive"
del r
print(log, Res.saved.tag, gc.is_finalized(Res.saved))
Res.saved = None
print(log)
log.clear()
o = F("owner")
o.part = F("part")
o.part.deeper = F("deeper")
del o
print(log)
log.clear()
o = F("x")
o.__del__()
print(log)
del o
print(log)
log.clear()
o = F("target")
w1 = weakref.ref(o, lambda r: log.append("cb1"))
w2 = weakref.ref(o, lambda r: log.append("cb2"))


class SeesWeak:
    def __del__(self):
        log.append(("in del", SeesWeak.w() is self))


s = SeesWeak()
SeesWeak.w = weakref.ref(s)
del s
print(log, SeesWeak.w())
log.clear()
del o
print(log, w1(), w2())
log.clear()
o = F("late")
o.__class__.__del__ = lambda self: log.append("replaced del")
del o
print(log)
log.clear()
o = F("inst")
o.__del__ = lambda: log.append("never")
del o
print(log)
log.clear()


class Cyc:
    def __init__(self, name):
        self.name, self.me = name, self

    def __del__(self):
        log.append(self.name + " sees " + self.peer.name)


a, b = Cyc("a"), Cyc("b")
a.peer, b.peer = b, a
del a, b
print(log)
print(gc.collect() >= 2, sorted(log))
log.clear()


class Phoenix:
    alive = []

    def __init__(self):
        self.me = self
        self.data = [1, 2, 3]

    def __del__(self):
        log.append("phoenix")
        Phoenix.alive.append(self)


p = Phoenix()
del p
gc.collect()
p = Phoenix.alive.pop()
print(log, p.data, p.me is p, gc.is_finalized(p))
del p
gc.collect()
print(log, Phoenix.alive)
log.clear()


class Bad:
    def __del__(self):
        log.append("bad del")
        raise ValueError("ignored")


class Sink:
    def write(self, text):
        pass

    def flush(self):
        pass


err, sys.stderr = sys.stderr, Sink()
b = Bad()
del b
x = F("y")
wr = weakref.ref(x, lambda r: 1 / 0)
del x
sys.stderr = err
print(log, wr())
log.clear()


class Maker:
    def __del__(self):
        log.append(len([object() for _ in range(100)]))
        gc.collect()


m = Maker()
m.me = m
del m
gc.collect()
print(log)
log.clear()


class Chain:
    def __init__(self, n):
        self.next = Chain(n - 1) if n else None

    def __del__(self):
        log.append(1)


c = Chain(100)
del c
print(len(log))
log.clear()


class Pool:
    free = []

    def __del__(self):
        if len(Pool.free) < 2:
            Pool.free.append(self)


objs = [Pool() for _ in range(5)]
objs = None
print(len(Pool.free))
Pool.free = [1, 2, 3]


class WithSlots:
    __slots__ = ("a", "b")

    def __del__(self):
        log.append("slots")


s = WithSlots()
s.a, s.b = F("sa"), F("sb")
del s
print(log)
log.clear()


def f():
    o = F("f local")
    try:
        return o.name
    finally:
        log.append("finally")


f()
print(log)
log.clear()
g = (F("gen%d" % i) for i in range(3))
next(g)
print(log)
del g
print(log)
