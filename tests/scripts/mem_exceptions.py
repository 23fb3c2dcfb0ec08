# What exceptions keep alive through __context__, __cause__ and tracebacks, and when they let go.
import gc
import weakref

gc.disable()


class Payload(Exception):
    pass


class Thing:
    pass


def chain(n):
    try:
        if n == 0:
            raise Payload(0)
        chain(n - 1)
    except Payload as e:
        raise Payload(n) from (e if n % 2 else None)


try:
    chain(4)
except Payload as e:
    top = e
levels = []
e = top
while e is not None:
    levels.append((e.args[0], e.__cause__ is not None, e.__suppress_context__))
    e = e.__context__
print(levels)
refs = []
e = top
while e is not None:
    refs.append(weakref.ref(e))
    e = e.__context__
print(sum(r() is not None for r in refs))
top.__context__.__context__ = None
print([r() is not None for r in refs])
top = None
print([r() is not None for r in refs])

# An exception loop that is made by hand is cut where it would close.
a, b = ValueError("a"), ValueError("b")
try:
    try:
        raise a
    except ValueError:
        raise b
except ValueError:
    try:
        raise a
    except ValueError:
        pass
print(a.__context__ is b, b.__context__ is None)
a = b = None


def temporary():
    t = Thing()
    refs.append(weakref.ref(t))
    return t


# Unwinding drops the temporaries of the failed expression.
refs = []
try:
    [temporary(), temporary(), 1 // 0, temporary()]
except ZeroDivisionError:
    print([r() is not None for r in refs])
refs = []
try:
    print(temporary(), *[temporary()], undefined)
except NameError as e:
    print([r() is not None for r in refs], e)


class Manager:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        refs.append(weakref.ref(value))
        return True


refs = []
with Manager():
    raise Payload("swallowed")
print(refs[0]() is None)

# In a loop nothing piles up.
class Counted(Exception):
    alive = most = 0

    def __init__(self):
        Counted.alive += 1
        Counted.most = max(Counted.most, Counted.alive)

    def __del__(self):
        Counted.alive -= 1


for i in range(1000):
    try:
        raise Counted()
    except Counted:
        pass
print(Counted.alive, Counted.most)
for i in range(1000):
    try:
        try:
            raise Counted()
        finally:
            raise Counted()
    except Counted as e:
        pass
print(Counted.alive, Counted.most)


def reraise():
    try:
        raise Counted()
    except Counted:
        raise


for i in range(100):
    try:
        reraise()
    except Counted as e:
        assert e.__traceback__.tb_next is not None
print(Counted.alive)
e = Counted()
r = weakref.ref(e)
try:
    raise e
except Counted:
    pass
print(r() is e, len(gc.get_referrers(e)) >= 0)
del e
gc.collect()
print(r() is None, Counted.alive)
# with_traceback shares, args keep.
t = Thing()
w = weakref.ref(t)
e = ValueError(t, "x").with_traceback(None)
del t
print(w() is e.args[0])
e.args = ()
print(w())
