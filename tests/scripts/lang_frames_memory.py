# What frames and tracebacks keep alive, and when they let go.
import gc
import sys
import weakref


class Thing:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)


gc.disable()

print("-- a frame that nobody keeps: locals die at the end")


def plain():
    t = Thing("a")
    sys._getframe()
    print("in plain")


plain()

print("-- a frame kept: its locals live on, until it goes")
saved = []


def keeps():
    t = Thing("b")
    saved.append(sys._getframe())


keeps()
print("alive")
saved.clear()
print("gone")

print("-- clear() drops the locals of a finished frame")
keeps()
saved[0].clear()
print("cleared", saved[0].f_locals)
saved.clear()

print("-- the frame of a caller is kept by the one it called")


def caller():
    mine = Thing("caller's")
    keeps()
    return 1


caller()
print("returned")
saved.clear()
print("gone")

print("-- a saved exception keeps the frames it passed, and those who called them")


def fails():
    t = Thing("in fails")
    raise ValueError("v")


def catches():
    u = Thing("in catches")
    try:
        fails()
    except ValueError as e:
        saved.append(e)


def outermost():
    w = Thing("in outermost")
    catches()


outermost()
print("saved", len(saved))
saved[0].__traceback__ = None
print("traceback dropped")
saved.clear()

print("-- the name of an except clause goes at its end")


def handler():
    try:
        fails()
    except ValueError as e:
        print("handling", e)
    print("handled")


handler()

print("-- stored in a local: a cycle that waits for the collector")


class Node:
    pass


def stores():
    marker = Node()
    try:
        fails()
    except ValueError as e:
        kept = e
    return weakref.ref(marker)


r = stores()
print("waiting", r() is not None)
gc.collect()
print("collected", r() is None)

print("-- del of the local in time: no cycle")


def deletes():
    marker = Node()
    try:
        fails()
    except ValueError as e:
        kept = e
    del kept
    return weakref.ref(marker)


print(deletes()() is None)

print("-- context and cause keep theirs")


def chained():
    try:
        try:
            fails()
        except ValueError as e:
            raise KeyError("k") from e
    except KeyError as e:
        saved.append(e)


chained()
print(type(saved[0].__cause__).__name__, saved[0].__context__ is saved[0].__cause__)
saved[0].__cause__ = None
print("cause dropped")
saved[0].__context__ = None
print("context dropped")
saved.clear()

print("-- a generator's frame")


def generator():
    t = Thing("in generator")
    yield 1
    yield 2


g = generator()
next(g)
f = g.gi_frame
print(f.f_code.co_name, sorted(f.f_locals), f.f_back)
g.close()
print("closed", g.gi_frame)
del f
print("frame dropped")
g = generator()
next(g)
f = g.gi_frame
del g
print("generator dropped")
del f

print("-- sys.exc_info holds while handling only")


def informs():
    try:
        fails()
    except ValueError:
        kind, value, tb = sys.exc_info()
        print(kind.__name__, value is sys.exception(), tb.tb_next.tb_frame.f_locals["t"].name)
        del value, tb
    print(sys.exc_info())


informs()

print("-- an exception that passes many frames")


def recurse(n):
    t = Thing("level %d" % n)
    if n == 0:
        raise OSError("deep")
    recurse(n - 1)


try:
    recurse(2)
except OSError as e:
    print("caught", e)
print("after")

print("-- frame objects in a cycle with their own locals")


def own():
    me = sys._getframe()
    t = Node()
    return weakref.ref(t)


r = own()
print(r() is not None)
gc.collect()
print(r() is None)
