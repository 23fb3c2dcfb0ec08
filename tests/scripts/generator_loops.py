"""Generators driven by for loops: nesting, leaving early, errors on either side."""
import sys


def count(n):
    i = 0
    while i < n:
        got = yield i
        if got is not None:
            print("got", got)
        i += 1
    return "done"


def nested(n):
    for x in count(n):
        for y in count(x):
            yield x, y


print(list(nested(4)))
for pair in nested(3):
    print(pair)

# Leaving early and going on.
g = count(6)
for x in g:
    if x == 2:
        break
print("broke at", x)
for x in g:
    print("again", x)
    if x == 4:
        print("sent", g.send("hello"))
print("exhausted", next(g, None))
for x in g:
    print("never")


# Stepping on while it is looped over.
g = count(6)
for x in g:
    print(x, next(g, "end"))


# Errors inside, with a finally, seen by the loop's frame.
def fails(at):
    try:
        for i in count(5):
            if i == at:
                raise ValueError("at %d" % i)
            yield i
    finally:
        print("cleanup")


def drive():
    total = 0
    try:
        for i in fails(3):
            total += i
    except ValueError as e:
        tb = e.__traceback__
        names = []
        while tb is not None:
            names.append(tb.tb_frame.f_code.co_name)
            tb = tb.tb_next
        print(e, total, names)
    else:
        print("no error")


drive()


def stops():
    yield 1
    raise StopIteration("inner")


try:
    for x in stops():
        print(x)
except RuntimeError as e:
    print(type(e).__name__, e, repr(e.__cause__))


# A generator that drives itself.
def selfish():
    yield 1
    for x in me:
        yield x


me = selfish()
try:
    for x in me:
        print("selfish", x)
except ValueError as e:
    print(e)


# What it handles while suspended is its own.
def handling():
    try:
        raise KeyError("mine")
    except KeyError:
        yield sys.exc_info()[0].__name__
        yield sys.exc_info()[0].__name__


try:
    raise IndexError("outer")
except IndexError:
    for name in handling():
        print(name, sys.exc_info()[0].__name__)


# Values die when the loop lets go of them.
class Noisy:
    def __init__(self, n):
        self.n = n

    def __del__(self):
        print("del", self.n)


def noisy():
    for n in count(3):
        yield Noisy(n)
    keep = Noisy("kept")
    yield 0
    print("end")


for thing in noisy():
    print("loop", thing if thing == 0 else thing.n)
del thing


# yield from inside a loop, and a return value through it.
def outer():
    for n in (2, 3):
        result = yield from count(n)
        yield result


for x in outer():
    print(x, end=" ")
print()


# Deep chains.
def chain(n):
    if n == 0:
        yield "bottom"
        return
    for x in chain(n - 1):
        yield x


for x in chain(200):
    print(x)


def endless(n):
    for x in endless(n + 1):
        yield x


try:
    for x in endless(0):
        pass
except RecursionError as e:
    print("RecursionError")


# Closing runs the finally blocks once.
def closing():
    try:
        for x in count(10):
            yield x
    finally:
        print("closed at", x)


g = closing()
for x in g:
    if x == 1:
        break
g.close()
g.close()


# Loops in generators in comprehensions in generators.
print(sum(x * y for x in (a + 1 for a in count(4)) for y in [b for b in count(x)]))
print({k: [v for v in count(k)] for k in count(4)})
