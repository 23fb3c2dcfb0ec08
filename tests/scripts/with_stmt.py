# with statements.
class CM:
    def __init__(self, name, suppress=False, fail=None):
        self.name, self.suppress, self.fail = name, suppress, fail

    def __enter__(self):
        print("enter", self.name)
        if self.fail == "enter":
            raise RuntimeError("in enter")
        return self.name.upper()

    def __exit__(self, t, v, tb):
        print("exit", self.name, t and t.__name__, v, tb is not None)
        if self.fail == "exit":
            raise KeyError("in exit")
        return self.suppress


with CM("a") as x:
    print("body", x)
with CM("a") as x, CM("b") as y:
    print(x, y)
with (CM("p") as x, CM("q"),):
    print("paren", x)
with CM("s", True):
    raise ValueError("suppressed")
try:
    with CM("outer"), CM("inner"):
        raise ValueError("through")
except ValueError as e:
    print("caught", e)
try:
    with CM("outer", True), CM("inner", fail="exit"):
        raise ValueError("replaced")
except KeyError as e:
    print("not reached", e)
try:
    with CM("o"), CM("i", fail="enter"):
        print("not reached")
except RuntimeError as e:
    print("caught", e)
try:
    with CM("x", fail="exit"):
        pass
except KeyError as e:
    print("caught", e, e.__context__)
try:
    with CM("x", fail="exit"):
        1 / 0
except KeyError as e:
    print("caught", e, repr(e.__context__))


def ret():
    with CM("r"):
        return "value"


def loop():
    for i in range(3):
        with CM("l%d" % i):
            if i == 0:
                continue
            if i == 1:
                break
    return i


print(ret(), loop())
d = {}
with CM("target") as d["key"]:
    pass
with CM("tup") as (a, b, c):
    pass
print(d, a, b, c)
for bad in (5, object(), "x"):
    try:
        with bad:
            pass
    except TypeError as e:
        print(e)


class OnlyEnter:
    def __enter__(self):
        return self


try:
    with OnlyEnter():
        pass
except TypeError as e:
    print(e)


class Inst:
    pass


i = Inst()
i.__enter__ = lambda: 1
i.__exit__ = lambda *a: None
try:
    with i:
        pass
except TypeError as e:
    print(e)


def gen():
    with CM("gen"):
        yield 1
        yield 2


g = gen()
print(next(g))
g.close()
for v in gen():
    print(v)
    break
del g


def nested_try():
    try:
        with CM("n"):
            try:
                raise ValueError("v")
            finally:
                print("inner finally")
    except ValueError:
        return "ok"
    finally:
        print("outer finally")


print(nested_try())
with CM("e", True):
    with CM("f"):
        raise KeyError("k")
print("done")
