# typing and types: what does something at run time.
import gc
import types
import typing
import weakref
from typing import Any, Dict, Generic, List, NamedTuple, NewType, Optional, Protocol, TypedDict, TypeVar, cast, runtime_checkable


class Point(NamedTuple):
    """A point."""
    x: int
    y: int = 5

    def dist(self):
        return self.x + self.y

    @classmethod
    def origin(cls):
        return cls(0, 0)


p = Point(1)
print(p, p.dist(), Point.origin(), Point._fields, Point._field_defaults, Point.__doc__, p == (1, 5), p._replace(x=9), isinstance(p, tuple))
print(Point.__annotations__, Point.__name__, Point.__module__, Point.__bases__)
try:
    class Wrong(NamedTuple):
        a: int = 1
        b: int
except TypeError as e:
    print(e)
try:
    class Wrong2(NamedTuple):
        a: int
        _fields = 3
except AttributeError as e:
    print(e)
Pair = NamedTuple("Pair", [("a", int), ("b", str)])
print(Pair(1, "x"), Pair.__annotations__)


class Movie(TypedDict):
    name: str
    year: int


class Rated(Movie, total=False):
    stars: int


m = Movie(name="Tide", year=2026)
print(m, type(m), m["name"], Movie.__annotations__, Rated(name="x", year=1, stars=5), Rated.__total__, Movie.__total__)

T = TypeVar("T")


class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: List[T] = []

    def push(self, item: T) -> None:
        self.items.append(item)

    def pop(self) -> Optional[T]:
        return self.items.pop() if self.items else None


class Named(Stack[int]):
    name = "named"


s = Stack[int]()
s.push(3)
print(s.pop(), s.pop(), type(s).__name__, Named().pop(), Named.__mro__[1].__name__, issubclass(Named, Generic))


@runtime_checkable
class Closes(Protocol):
    def close(self) -> None: ...


class File:
    def close(self):
        pass


class Explicit(Closes):
    def close(self):
        return "closed"


print(isinstance(File(), Closes), isinstance(5, Closes), isinstance(Explicit(), Closes), Explicit().close())


class Shape(Protocol):
    def area(self) -> float: ...


try:
    isinstance(5, Shape)
except TypeError as e:
    print(e)
try:
    Shape()
except TypeError as e:
    print(e)

UserId = NewType("UserId", int)
print(UserId(5) + 1, cast(int, "text"), cast("List[int]", 3), typing.TYPE_CHECKING)


class Config(Dict[str, int]):
    def total(self):
        return sum(self.values())


print(Config(a=1, b=2).total(), isinstance(Config(), dict))


def annotated(a: int, b: "str" = "x", *c: Any) -> bool:
    return a, b, c


print(annotated(1), {k: v for k, v in annotated.__annotations__.items() if k in ("a", "b", "return")})

# types.
ns = types.SimpleNamespace(a=1, b="x")
ns.c = ns.a + 1
del ns.b
print(ns, ns == types.SimpleNamespace(a=1, c=2), vars(ns), ns != 5)
proxy = types.MappingProxyType({"k": 1})
print(proxy["k"], len(proxy), list(proxy), "k" in proxy, proxy.get("z", 0), dict(proxy), isinstance(proxy, types.MappingProxyType))
try:
    proxy["k"] = 2
except TypeError as e:
    print(e)


async def coro():
    pass


c = coro()
values = [(lambda: 0, types.FunctionType), (len, types.BuiltinFunctionType), ([].append, types.BuiltinMethodType), (p.dist, types.MethodType),
          ((x for x in ()), types.GeneratorType), (c, types.CoroutineType), (types, types.ModuleType), (None, types.NoneType),
          (coro.__code__, types.CodeType), (str.join, types.MethodDescriptorType), (object.__init__, types.WrapperDescriptorType),
          (int | str, types.UnionType), (list[int], types.GenericAlias), (..., types.EllipsisType)]
print([isinstance(v, t) for v, t in values])
c.close()
made = types.new_class("Made", (Stack,), {}, lambda ns: ns.update(extra=1))
print(made.__name__, made.extra, made().items, types.resolve_bases((int, str)), types.prepare_class("X", (int,))[0])


@types.coroutine
def wait():
    return (yield "waiting")


async def user():
    return await wait()


u = user()
print(u.send(None))
try:
    u.send("answer")
except StopIteration as e:
    print(e.value)


class Holder:
    pass


h = Holder()
h.ns = types.SimpleNamespace(h=h)
h.method = types.MethodType(lambda self: self, h)
r = weakref.ref(h)
del h
gc.collect()
print(r())
