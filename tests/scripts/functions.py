# Functions: parameters, defaults, keywords, star arguments, errors.
def f(a, b=2, *args, c, d=4, **kw):
    return a, b, args, c, d, kw


print(f(1, c=3), f(1, 5, 6, 7, c=3, d=8, e=9), f(c=1, a=2), f(*[1, 2, 3], **{"c": 4, "z": 5}), f(1, *(2,), *(3, 4), c=0, **{}, q=1))


def g(a, b, /, c, *, d):
    return a, b, c, d


print(g(1, 2, 3, d=4), g(1, 2, c=3, d=4))


def h(a, /, **kw):
    return a, kw


print(h(1, a=2), h(1))


def k(*, x=1):
    return x


print(k(), k(x=5))


def none():
    pass


def early(x):
    if x:
        return
    return x, "end"


print(none(), early(1), early(0))


def defaults(x, acc=[]):
    acc.append(x)
    return acc


print(defaults(1), defaults(2), defaults(3, []), defaults(4))
n = 5


def late(x=n):
    return x


n = 6
print(late(), (lambda x=n: x)(), (lambda *a, **k: (a, k))(1, 2, z=3), (lambda: 1)(), (lambda x, y=2, *, z=3: x + y + z)(1))
print([fn(3) for fn in [lambda v: v + 1, lambda v: v * v, str, abs, float]])
for bad in (lambda: f(), lambda: f(1), lambda: f(1, 2, 3), lambda: f(c=1), lambda: g(1, 2, 3, 4), lambda: g(a=1, b=2, c=3, d=4), lambda: g(1, 2, d=3), lambda: g(1, 2, 3), lambda: none(1), lambda: none(x=1), lambda: late(1, 2),
            lambda: late(x=1, y=2), lambda: f(1, a=2, c=3), lambda: f(1, **{"c": 1, "a": 3}), lambda: k(1), lambda: h(), lambda: f(**{"a": 1}, **{"a": 2}), lambda: f(1, c=2, **{"c": 3}), lambda: late(**5), lambda: late(**{1: 2}),
            lambda: early(), lambda: (lambda a, b, c: 0)(), lambda: (lambda a, b: 0)(1), lambda: 5(), lambda: "a"(), lambda: None(), lambda: len(), lambda: len(1, 2), lambda: len(x=1), lambda: print(foo=1), lambda: int(1, 2, 3)):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)


def outer(x):
    def inner(y):
        return x * y
    return inner


print(outer(3)(4), f.__name__, f.__qualname__, outer(1).__qualname__, outer(1).__name__, (lambda: 0).__name__, f.__defaults__, f.__kwdefaults__, defaults.__doc__)


def doc(a: int, b: "str" = "x") -> bool:
    """Docs.

    More."""
    return True


print(repr(doc.__doc__), doc.__annotations__, doc.__module__)
doc.attr = 5
print(doc.attr, doc.__dict__, hasattr(doc, "nope"), callable(doc), callable(5))
doc.__defaults__ = ("new",)
print(doc.__defaults__, doc(1))


def fact(n):
    return 1 if n < 2 else n * fact(n - 1)


def fib(n, memo={}):
    if n not in memo:
        memo[n] = n if n < 2 else fib(n - 1) + fib(n - 2)
    return memo[n]


print(fact(20), fact(25), fib(80))
order = []


def note(x):
    order.append(x)
    return x


def call(*a, **k):
    return len(a) + len(k)


note(0); call(note(1), *[note(2)], note(3), x=note(4), **{"y": note(5)})
note([0, 0])[note(0)] = note("value")
{note("k1"): note("v1"), note("k2"): note("v2")}
note(1) + note(2) * note(3)
note(1) < note(2) < note(0) < note(99)
print(order)


def deco(tag):
    order.append("deco " + tag)

    def wrap(fn):
        order.append("wrap " + tag)
        return lambda *a: (tag, fn(*a))
    return wrap


order.clear()


@deco("a")
@deco("b")
def decorated(x=note("default")):
    return x


print(decorated(), order)
many = lambda a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9: a0 + b9
print(many(*range(20)))
print((lambda **k: sorted(k))(**{"k%d" % i: i for i in range(30)}) == sorted("k%d" % i for i in range(30)))
print(max(1, 2, key=lambda v: -v), sorted([3, 1], key=lambda v: v, reverse=True), min([], default="none"), print("a", "b", sep="-", end="!\n"))
