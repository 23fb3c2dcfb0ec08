# Generators and memory: closed on the spot, by a collection, in the middle of delegation; what they hold.
import gc
import weakref

gc.disable()
log = []


class Obj:
    def __init__(self, tag):
        self.tag = tag

    def __del__(self):
        log.append("del " + self.tag)


def gen(tag, n=3):
    o = Obj(tag)
    try:
        for i in range(n):
            yield i
    finally:
        log.append("finally " + tag)
    log.append("end " + tag)


def flush():
    print(log)
    log.clear()


g = gen("dropped")
next(g)
del g
flush()
g = gen("unstarted")
del g
flush()
g = gen("finished", 1)
print(list(g))
flush()
print(next(g, "none"), g.gi_frame)
g = gen("closed")
next(g)
g.close()
flush()
g.close()
flush()
g = gen("thrown")
next(g)
try:
    g.throw(ValueError("in"))
except ValueError as e:
    print(e)
flush()


def outer(tag):
    o = Obj("outer " + tag)
    try:
        got = yield from gen("inner " + tag)
        log.append(got)
    finally:
        log.append("finally outer " + tag)


g = outer("a")
next(g)
del g
flush()


# A generator that refers to itself waits for a collection, which closes it once.
def cycle():
    me = yield
    try:
        yield 1
    finally:
        log.append("closed by the collector")


g = cycle()
next(g)
g.send(g)
w = weakref.ref(g)
del g
flush()
gc.collect()
print(w() is None)
flush()


# One that yields again while it is being closed.
def stubborn():
    try:
        yield 1
    except GeneratorExit:
        yield 2


g = stubborn()
next(g)
try:
    g.close()
except RuntimeError as e:
    print(e)


# Arguments and the values sent live as long as the frame says.
def holds(arg):
    x = yield arg.tag
    y = yield x.tag
    del x
    z = yield y.tag
    yield z


g = holds(Obj("arg"))
print(next(g))
flush()
print(g.send(Obj("x")))
flush()
print(g.send(Obj("y")))
flush()
g = None
flush()

# A generator expression keeps its first iterable only.
class Iter:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(range(self.n))

    def __del__(self):
        log.append("iterable gone")


ge = (x * 2 for x in Iter(3))
flush()
print(list(ge))


# StopIteration's value dies with it.
def returns():
    return Obj("result")
    yield


try:
    next(returns())
except StopIteration as e:
    print(e.value.tag)
flush()


def delegate():
    r = yield from returns()
    log.append("got " + r.tag)
    r = None
    log.append("after")


list(delegate())
flush()


# Generators in a chain, dropped from the outside in.
def stage(source, tag):
    try:
        for v in source:
            yield v + 1
    finally:
        log.append(tag)


pipe = range(10)
for i in range(4):
    pipe = stage(pipe, "stage%d" % i)
print(next(pipe), next(pipe))
del pipe
flush()
# A running generator cannot be entered again.
def again():
    yield next(me)


me = again()
try:
    next(me)
except ValueError as e:
    print(e)
del me
gc.collect()
flush()
