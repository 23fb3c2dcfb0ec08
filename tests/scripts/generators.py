# Generators: yield, send, throw, close, yield from, laziness.
def count(n):
    for i in range(n):
        yield i


g = count(3)
print(next(g), next(g), next(g), next(g, "done"), list(count(4)), sum(count(5)), list(g), g.__name__, type(g).__name__)
try:
    next(count(0))
except StopIteration as e:
    print("stop", e.value)


def echo():
    got = yield "start"
    while got != "stop":
        got = yield got * 2
    return "returned"


e = echo()
print(next(e), e.send(2), e.send("ab"))
try:
    e.send("stop")
except StopIteration as s:
    print(s.value)


def outer():
    r = yield from inner()
    print("inner gave", r)
    yield from [10, 20]
    yield from count(2)
    return "outer result"


def inner():
    x = yield 1
    print("inner got", x)
    try:
        y = yield 2
    except ValueError as err:
        print("inner caught", err)
        y = yield "recovered"
    return y


o = outer()
print(next(o), o.send("X"), o.throw(ValueError("boom")), o.send("Y"), list(o))


def wrap():
    result = yield from outer()
    yield result


w = wrap()
print(next(w), w.send(0), w.send(1), list(w))


def cleanup():
    try:
        yield 1
        yield 2
    finally:
        print("cleanup ran")


c = cleanup()
next(c)
c.close()
c.close()
print(next(c, "closed"))
c = cleanup()
c.close()
c = cleanup()
next(c)
del c
c = cleanup()
next(c)
try:
    c.throw(KeyError("k"))
except KeyError as err:
    print("out", err)


def stubborn():
    try:
        yield 1
    except GeneratorExit:
        yield 2


s = stubborn()
next(s)
try:
    s.close()
except RuntimeError as err:
    print(err)


def raises():
    yield 1
    raise ValueError("in gen")


r = raises()
next(r)
try:
    next(r)
except ValueError as err:
    print(err)
print(next(r, "dead"))


def stop_inside():
    yield 1
    raise StopIteration("bad")


try:
    list(stop_inside())
except RuntimeError as err:
    print(err, repr(err.__cause__))
g = (x * x for x in range(5) if x % 2)
print(next(g), list(g), sum(i for i in range(10)), list((a, b) for a in range(2) for b in "xy"), tuple(x for x in ()), max((x for x in [3, 1]), default=0))
try:
    count(1).send(5)
except TypeError as err:
    print(err)


def selfref():
    yield next(me)


me = selfref()
try:
    next(me)
except ValueError as err:
    print(err)


def primes():
    found = []
    n = 2
    while True:
        if all(n % p for p in found):
            found.append(n)
            yield n
        n += 1


print([p for p, _ in zip(primes(), range(10))])


def tree(d):
    if d:
        yield from tree(d - 1)
        yield d
        yield from tree(d - 1)


print(list(tree(4)))


def perm(items):
    if not items:
        yield []
    for i, x in enumerate(items):
        for rest in perm(items[:i] + items[i + 1:]):
            yield [x] + rest


print(len(list(perm([1, 2, 3, 4]))), list(perm("ab")))


def lazy():
    print("computing")
    yield "v"


z = lazy()
print("not yet")
print(next(z))


def late_binding():
    try:
        x = yield
        print("x is", x)
    finally:
        pass
    z = (yield) or "none"
    yield z, (yield "mid")


lb = late_binding()
next(lb)
lb.send("first")
print(lb.send(None), lb.send("q"))
source = [1, 2, 3]
lz = (v for v in source)
source.append(4)
print(list(lz))
n = 5
fixed = (n + v for v in [1, 2])
n = 100
print(list(fixed))
a, b, *rest = count(5)
print(a, b, rest, dict(enumerate(count(2))), [*count(2), *count(1)], sorted(count(3), reverse=True), "".join(str(i) for i in count(4)), any(i > 1 for i in count(3)), 2 in count(5))


class Tree:
    def __init__(self, v, kids=()):
        self.v, self.kids = v, kids

    def __iter__(self):
        yield self.v
        for k in self.kids:
            yield from k


print(list(Tree(1, [Tree(2, [Tree(3)]), Tree(4)])))


def throw_types():
    for _ in range(3):
        try:
            yield "ready"
        except Exception as err:
            print(type(err).__name__, err.args)


t = throw_types()
next(t)
t.throw(ValueError)
t.throw(KeyError("inst"))
print(t.gi_frame is not None, t.gi_running, t.gi_yieldfrom)


def chain_exc():
    try:
        yield 1
    except ValueError as err:
        raise KeyError("chained") from err


ch = chain_exc()
next(ch)
try:
    ch.throw(ValueError("orig"))
except KeyError as err:
    print(repr(err.__cause__))
lam = (lambda: (yield 5))
print(list(lam()))
