# list[int], int | None: made, shown, compared, called, derived from, asked by isinstance().
import gc
import types
import weakref
from collections import OrderedDict

A = list[int]
print(A, repr(dict[str, list[int]]), tuple[int, ...], tuple[()], set["name"], type[A], frozenset[None])
print(A.__origin__, A.__args__, A == list[int], A != list[str], hash(A) == hash(list[int]), {A: 1}[list[int]])
print(A([1, 2]), dict[str, int](a=1), tuple[int, ...]("ab"), A.__name__, A.append, type(A))
x = A()
x.append(1)
print(type(x), isinstance(x, list))


class Numbers(list[int]):
    def total(self):
        return sum(self)


class Table(dict[str, int], metaclass=type):
    pass


print(Numbers([1, 2, 3]).total(), Numbers.__bases__, Numbers.__orig_bases__, Numbers[int].__args__, Table.__mro__[1])
for bad in (lambda: isinstance([], A), lambda: issubclass(list, A), lambda: int[3], lambda: object["x"]):
    try:
        print(bad())
    except TypeError as e:
        print(e)

U = int | str
print(U, int | None, None | int, str | int | str, int | int, U | float | None, list[int] | None, type(U))
print(U == str | int, U != int | float, hash(U) == hash(str | int), U.__args__, (int | None).__args__)
print(isinstance(3, U), isinstance("s", U), isinstance(3.0, U), isinstance(None, int | None), issubclass(bool, U))
print(isinstance(3, (str, int | float)), isinstance([], (U, list)), isinstance(2.5, int | (float | None)))
for bad in (lambda: int | 3, lambda: "x" | int, lambda: isinstance(1, int | "x")):
    try:
        print(bad())
    except TypeError as e:
        print(e)


class Meta(type):
    def __or__(cls, other):
        return "Meta or"

    def __ror__(cls, other):
        return "Meta ror"


class M(metaclass=Meta):
    pass


print(M | int, int | M)


class Box:
    def __init__(self, item):
        self.item = item

    def __class_getitem__(cls, kind):
        return types.GenericAlias(cls, kind)


B = Box[int]
print(B.__origin__ is Box, B.__args__, B(5).item, B == Box[int], Box[int, str].__args__, isinstance(B(1), Box))


class Sub(Box[int]):
    pass


print(Sub.__mro__[1].__name__, Sub(3).item)


def annotated(a: list[int], b: int | None = None, *c: tuple[int, ...], d: "dict[str, int]" = {}) -> list[str] | None:
    local: dict[str, list[int]] = {}
    return a, b, c, d, local


print(annotated([1], 2, 3), sorted(annotated.__annotations__))


# An alias keeps its classes; classes that hold aliases of themselves are garbage like others.
def make():
    class Node:
        pass
    Node.children = list[Node]
    Node.maybe = Node | None
    return weakref.ref(Node), Node.children


r, alias = make()
gc.collect()
print(r() is not None, alias.__args__[0].__name__)
del alias
gc.collect()
print(r())
