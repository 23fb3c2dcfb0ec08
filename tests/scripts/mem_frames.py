# What frames keep alive: locals of running, finished, failed and suspended ones.
import gc
import sys
import weakref

gc.disable()


class Obj:
    def __init__(self, tag):
        self.tag = tag


def watch(tag, refs):
    o = Obj(tag)
    refs[tag] = weakref.ref(o)
    return o


def alive(refs):
    return sorted(t for t, r in refs.items() if r() is not None)


refs = {}


def finished():
    a = watch("a", refs)
    b = watch("b", refs)
    del a
    print("inside", alive(refs))
    return b.tag


print(finished(), alive(refs))


def fails(depth):
    mine = watch("depth%d" % depth, refs)
    if depth == 0:
        raise ValueError(mine.tag)
    fails(depth - 1)


refs.clear()
try:
    fails(2)
except ValueError as e:
    print("handler", alive(refs))
    saved = e
print("saved", alive(refs))
print(saved.__traceback__.tb_next.tb_frame.f_locals["depth"])
saved.__traceback__ = None
print("none", alive(refs))
saved = None

refs.clear()
try:
    fails(1)
except ValueError:
    pass
print("passed", alive(refs))


# A handled exception that is kept in a local of the handling function is a cycle.
def keeps():
    own = watch("own", refs)
    try:
        fails(0)
    except ValueError as e:
        kept = e
    return own.tag


refs.clear()
keeps()
print("cycle", alive(refs))
gc.collect()
print("collected", alive(refs))


# The same, but broken by hand.
def breaks():
    own = watch("own", refs)
    try:
        fails(0)
    except ValueError as e:
        kept = e
    kept = None
    return own.tag


refs.clear()
breaks()
print("no cycle", alive(refs))


def closure():
    captured, other = watch("captured", refs), watch("other", refs)
    def inner():
        return captured.tag
    return inner


refs.clear()
f = closure()
print(f(), alive(refs))
f = None
gc.collect()
print(alive(refs))


def rebinding():
    for i in range(3):
        x = watch("turn%d" % i, refs)
        yield alive(refs)
    yield alive(refs)


refs.clear()
for state in rebinding():
    print(state)
print(alive(refs))

# The exception being handled is a frame's; the one outside comes back.
try:
    raise KeyError("outer")
except KeyError:
    try:
        raise IndexError("inner")
    except IndexError:
        print(type(sys.exc_info()[1]).__name__)
    print(type(sys.exc_info()[1]).__name__)
print(sys.exc_info())
