# dataclasses: fields, defaults, order, frozen, slots, keyword-only, InitVar, inheritance, helpers.
import copy
import dataclasses
import gc
import weakref
from dataclasses import (KW_ONLY, InitVar, FrozenInstanceError, asdict, astuple, dataclass, field, fields, is_dataclass,
                         make_dataclass, replace)
from typing import ClassVar


def attempt(function, *args, **kw):
    try:
        print(repr(function(*args, **kw)))
    except (TypeError, ValueError, AttributeError) as e:
        print(type(e).__name__, e)


@dataclass
class Item:
    """An item."""
    name: str
    price: float = 1.5
    tags: list = field(default_factory=list)
    secret: int = field(default=7, repr=False, compare=False)
    count: ClassVar[int] = 0

    def total(self, n=2):
        return self.price * n


a, b = Item("a"), Item("a")
print(a, a == b, a is b, a.tags is b.tags, a.total(), a != Item("b"), Item.__doc__, a == 5, Item.price)
b.secret = 9
print(a == b, [f.name for f in fields(Item)], [f.type for f in fields(a)][0], Item.count)
for args, kw in (((), {}), (("a", 1, [], 2, 3), {}), (("a",), {"name": "b"}), (("a",), {"other": 1})):
    attempt(Item, *args, **kw)
attempt(hash, a)
print(asdict(Item("x", 2.0, [Item("y")])), astuple(Item("x", tags=[1, (2, 3)])))
print(replace(a, price=9), replace(a, name="z", tags=["t"]), a.__match_args__)


@dataclass(order=True, frozen=True)
class Version:
    major: int
    minor: int = 0
    label: str = field(default="", compare=False)


v = [Version(1, 2), Version(1), Version(0, 9, "x")]
print(sorted(v), max(v), Version(1, 2) in v, {Version(1): "one"}[Version(1, 0, "other")], Version(1) <= Version(1))
attempt(setattr, v[0], "major", 5)
attempt(delattr, v[0], "minor")
attempt(setattr, v[0], "new", 5)
attempt(lambda: Version(1) < 5)
print(hash(Version(3, 4)) == hash(Version(3, 4, "l")), issubclass(FrozenInstanceError, AttributeError))


@dataclass
class Base:
    x: int
    y: int = 2


@dataclass
class Derived(Base):
    z: int = 3
    x: int = 10

    def __post_init__(self):
        self.sum = self.x + self.y + self.z


print(Derived(), Derived(1).sum, [f.name for f in fields(Derived)], Derived.__mro__[1].__name__)


@dataclass
class Keyed:
    a: int
    _: KW_ONLY
    b: int = 1
    c: int


print(Keyed(1, c=2))
attempt(Keyed, 1, 2)
attempt(Keyed, 1)


@dataclass(kw_only=True)
class AllKeyed:
    a: int
    b: int = 2


print(AllKeyed(a=1), AllKeyed.__match_args__)
attempt(AllKeyed, 1)


@dataclass
class Circle:
    radius: float
    scale: InitVar[float] = 1.0
    unit: InitVar[str] = "m"
    area: float = field(init=False)

    def __post_init__(self, scale, unit):
        self.area = 3 * self.radius ** 2 * scale
        self.text = "%s%s2" % (self.area, unit)


c = Circle(2, 2.0, unit="cm")
print(c, c.text, [f.name for f in fields(c)], replace(c, radius=1, scale=1.0).area)
attempt(replace, c, area=1)


@dataclass(slots=True)
class Slotted:
    x: int
    y: int = 5
    z: list = field(default_factory=list)


s = Slotted(1)
print(s, Slotted.__slots__, hasattr(s, "__dict__"), s == Slotted(1))
attempt(setattr, s, "other", 1)


@dataclass(slots=True)
class SlottedChild(Slotted):
    w: int = 0


print(SlottedChild(1, w=3), SlottedChild.__slots__)


@dataclass(eq=False)
class ById:
    x: int


print(ById(1) == ById(1), hash(ById(1)) is not None)


@dataclass(unsafe_hash=True)
class Hashed:
    x: int
    y: list = field(default_factory=list, hash=False)


print(hash(Hashed(1)) == hash(Hashed(1, [2])))


@dataclass(repr=False)
class Own:
    x: int

    def __repr__(self):
        return "own %d" % self.x

    def __eq__(self, other):
        return "own eq"


print(Own(1), Own(1) == 2)


@dataclass
class Node:
    value: int
    children: list = field(default_factory=list)
    parent: object = None


n = Node(1)
n.children.append(Node(2, parent=n))
print(n)
d = copy.deepcopy(n)
print(d.children[0].parent is d, d == d, copy.copy(n).children is n.children)

M = make_dataclass("M", [("x", int), "y", ("z", int, field(default=5))], namespace={"double": lambda self: self.x * 2})
print(M(1, 2), M(1, 2).double(), is_dataclass(M), is_dataclass(M(1, 2)), is_dataclass(5), is_dataclass(int))
for bad in (lambda: dataclass(type("X", (), {"__annotations__": {"a": list}, "a": []})),
            lambda: dataclass(type("X", (), {"__annotations__": {"a": int, "b": int}, "a": 1})),
            lambda: field(default=1, default_factory=int), lambda: fields(5), lambda: asdict(5),
            lambda: dataclass(frozen=True)(type("X", (Base,), {"__annotations__": {}})),
            lambda: dataclass(order=True, eq=False)(type("X", (), {})),
            lambda: make_dataclass("X", ["a", "a"]), lambda: make_dataclass("X", ["1a"])):
    attempt(bad)
print(dataclasses.MISSING is fields(Item)[0].default, fields(Item)[1].default, fields(Item)[2].default_factory is list)


# Trees of them are garbage like other objects.
def make():
    root = Node(0)
    for i in range(5):
        root.children.append(Node(i, parent=root))
    return [weakref.ref(x) for x in [root] + root.children]


refs = make()
gc.collect()
print([r() for r in refs] == [None] * 6)
