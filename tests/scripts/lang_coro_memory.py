# What coroutines keep alive, and when they let go.
import gc
import sys
import weakref


class Thing:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)


class Node:
    pass


class Pause:
    def __await__(self):
        yield self


async def holds(thing):
    local = Thing(thing.name + "-local")
    try:
        await Pause()
        return local
    finally:
        print("finally of", thing.name)


gc.disable()
gc.collect()

print("-- dropped before it runs: only its arguments go")
c = holds(Thing("a"))
del c

print("-- dropped while it waits: closed at once")
c = holds(Thing("b"))
c.send(None)
del c
print("after b")

print("-- closed by hand")
c = holds(Thing("c"))
c.send(None)
c.close()
print("closed, frame", c.cr_frame)
del c

print("-- finished: holds nothing but its result travels")
c = holds(Thing("d"))
c.send(None)
try:
    c.send(None)
except StopIteration as stop:
    print("result", stop.value.name)
    del stop
del c

print("-- an outer coroutine holds the inner one")


async def outer(thing):
    guard = Thing(thing.name + "-outer")
    try:
        return await holds(thing)
    finally:
        print("outer's finally", guard.name)


c = outer(Thing("e"))
c.send(None)
ref = weakref.ref(c.cr_await)
print("inner alive", ref() is not None)
del c
print("inner dead", ref() is None)

print("-- replaced by assignment: new one first, then the old one dies")
c = holds(Thing("f1"))
c.send(None)
c = holds(Thing("f2"))
print("assigned")
c = None

print("-- a cycle through the coroutine's own local")


async def selfish(box, thing):
    box.append(sys._getframe().f_code.co_name)
    me = box
    try:
        await Pause()
    finally:
        print("closed by the collector", type(thing).__name__)


box = []
c = selfish(box, Node())
c.send(None)
box.append(c)
r = weakref.ref(c)
del box, c
print("still there", r() is not None)
print("collected", gc.collect() > 0)
print("gone", r() is None)

print("-- a cycle of two that await each other's owner")


async def waits_in(node, name):
    keep = name
    await Pause()
    return keep


a, b = Node(), Node()
a.other, b.other = b, a
a.coro = waits_in(b, "h1")
b.coro = waits_in(a, "h2")
a.coro.send(None)
b.coro.send(None)
refs = [weakref.ref(x) for x in (a, b, a.coro, b.coro)]
del a, b
gc.collect()
print([x() for x in refs])

print("-- an exception keeps the coroutine's frame")


async def fails():
    local = Thing("i")
    raise ValueError("boom")


saved = None
c = fails()
try:
    c.send(None)
except ValueError as e:
    saved = e
del c
print("saved", saved, saved.__traceback__.tb_next.tb_frame.f_locals["local"].name)
saved = None
print("let go")

print("-- many at once")
alive = []


async def worker(n):
    alive.append(n)
    try:
        await Pause()
    finally:
        alive.remove(n)


many = [worker(i) for i in range(200)]
for m in many:
    m.send(None)
print(len(alive))
del many[::2]
m = None
print(len(alive))
many.clear()
print(len(alive))

print("-- references")
t = Thing("j")
before = sys.getrefcount(t)
c = holds(t)
print(sys.getrefcount(t) - before)
c.send(None)
print(sys.getrefcount(t) - before)
c.close()
print(sys.getrefcount(t) - before)
del c, t
print(gc.is_tracked(worker(1)), type(gc.get_referents(worker(2))).__name__)
