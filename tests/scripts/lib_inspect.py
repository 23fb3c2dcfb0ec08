# Module inspect: kinds of things, signatures, states.
import functools
import inspect


def plain(a, b=2, *args, c, d=4, **kwargs):
    """Says nothing.

        Indented.
    """


def only(a, /, b, *, c=None):
    pass


def typed(a: int, b: str = "x") -> bool:
    pass


async def coroutine():
    pass


async def agen():
    yield


def gen():
    yield 1


class C:
    def __init__(self, x, y=1):
        self.x = x

    def method(self, z):
        return z

    @classmethod
    def make(cls, k):
        pass

    @staticmethod
    def free(s):
        pass

    @property
    def p(self):
        pass

    def __call__(self, q):
        pass


class Bare:
    pass


c = C(1)
for f in (plain, only, typed, coroutine, C, c.method, C.method, C.make, C.free, c, Bare, lambda x, *y: 0,
          functools.partial(plain, 1, c=3), functools.partial(only, 1)):
    print(inspect.signature(f))
sig = inspect.signature(plain)
print(list(sig.parameters), [str(p.kind) for p in sig.parameters.values()], [p.kind.name for p in sig.parameters.values()])
print(sig.parameters["b"].default, sig.parameters["a"].default is inspect.Parameter.empty, sig.return_annotation is inspect.Signature.empty)
bound = sig.bind(1, 2, 3, c=5, e=6)
print(bound.arguments, bound.args, bound.kwargs)
bound = sig.bind(1, c=5)
bound.apply_defaults()
print(bound.arguments)
for args, kwargs in (((), {}), ((1,), {}), ((1, 2), {"a": 1, "c": 1})):
    try:
        sig.bind(*args, **kwargs)
    except TypeError as e:
        print(e)
try:
    inspect.signature(only).bind(1, 2, 3)
except TypeError as e:
    print(e)
names = ["isfunction", "ismethod", "isclass", "isbuiltin", "isroutine", "isgeneratorfunction", "iscoroutinefunction",
         "isasyncgenfunction", "isgenerator", "iscoroutine", "isasyncgen", "isawaitable", "ismodule"]
co = coroutine()
g = gen()
things = [plain, c.method, C, len, [].append, gen, coroutine, agen, g, co, agen(), inspect, 1]
for name in names:
    print(name, [int(getattr(inspect, name)(thing)) for thing in things])
print(inspect.getgeneratorstate(g), inspect.getcoroutinestate(co))
next(g)
print(inspect.getgeneratorstate(g))
g.close()
co.close()
print(inspect.getgeneratorstate(g), inspect.getcoroutinestate(co))
print(inspect.getdoc(plain))
print(repr(inspect.cleandoc("  a\n    b\n\n      c\n")))
print([name for name, _ in inspect.getmembers(C, inspect.isfunction)])
print(inspect.getmro(C) == (C, object), inspect.currentframe().f_code.co_name)
print(inspect.getfullargspec(plain))


def wrapper(f):
    @functools.wraps(f)
    def inner(*args):
        return f(*args)
    return inner


print(inspect.signature(wrapper(typed)), inspect.unwrap(wrapper(typed)) is typed)
try:
    inspect.signature(5)
except TypeError as e:
    print(e)


def annotated(a: int, b: str = "x", *, c=3) -> float:
    pass


print(inspect.signature(functools.partial(annotated, 1)), inspect.signature(functools.partial(annotated, c=4)))
P = inspect.Parameter
for bad in (lambda: P("a", 7), lambda: P("a b", P.KEYWORD_ONLY), lambda: P("if", P.KEYWORD_ONLY), lambda: P(5, P.KEYWORD_ONLY),
            lambda: P("a", P.VAR_POSITIONAL, default=1), lambda: P("a", P.VAR_KEYWORD, default=1),
            lambda: inspect.Signature([P("a", P.KEYWORD_ONLY), P("b", P.POSITIONAL_ONLY)]),
            lambda: inspect.Signature([P("a", P.POSITIONAL_ONLY, default=1), P("b", P.POSITIONAL_ONLY)]),
            lambda: inspect.Signature([P("a", P.POSITIONAL_ONLY), P("a", P.KEYWORD_ONLY)])):
    try:
        bad()
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
print(inspect.Signature([P("a", P.KEYWORD_ONLY, default=1), P("b", P.KEYWORD_ONLY), P("c", P.VAR_KEYWORD)]))
