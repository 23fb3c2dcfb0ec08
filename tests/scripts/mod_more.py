# contextlib, copy, dataclasses, fractions, types, string.
import contextlib
import copy
import dataclasses
import io
import string
import types
from dataclasses import dataclass, field
from fractions import Fraction


def contexts():
    told = []

    @contextlib.contextmanager
    def manage(name):
        told.append("in " + name)
        try:
            yield name.upper()
        except ValueError as error:
            told.append("caught %s" % error)
        finally:
            told.append("out " + name)

    with manage("a") as a:
        told.append(a)
    with manage("b"):
        raise ValueError("inner")
    try:
        with manage("c"):
            raise KeyError("through")
    except KeyError as error:
        told.append(str(error))
    print(told)
    with contextlib.suppress(KeyError, IndexError):
        [][1]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        print("captured")
    print(repr(out.getvalue()))
    told.clear()
    with contextlib.ExitStack() as stack:
        stack.callback(told.append, "last")
        stack.enter_context(manage("d"))
        stack.callback(told.append, "first")
    print(told)
    with contextlib.nullcontext(5) as five, contextlib.closing(io.StringIO()) as s:
        print(five, s.closed)
    print(s.closed)

    @manage("e")
    def decorated():
        return "result"

    told.clear()
    print(decorated(), told)


class Plain:
    def __init__(self, x):
        self.x = x


class Slotted:
    __slots__ = ("a", "b")


class Special:
    def __copy__(self):
        return "copied"

    def __deepcopy__(self, memo):
        return "deep"


class MyList(list):
    pass


def copies():
    inner = [1, 2]
    p = Plain(inner)
    q, r = copy.copy(p), copy.deepcopy(p)
    print(q.x is inner, r.x == inner, r.x is inner)
    s = Slotted()
    s.a = inner
    t = copy.deepcopy(s)
    print(t.a, t.a is inner, hasattr(t, "b"))
    loop = [1]
    loop.append(loop)
    again = copy.deepcopy(loop)
    print(again[1] is again, again is loop)
    shared = [inner, inner, (inner,), {"k": inner}]
    deep = copy.deepcopy(shared)
    print(deep, deep[0] is deep[1], deep[2][0] is deep[0], deep[3]["k"] is deep[0])
    print(copy.copy(Special()), copy.deepcopy([Special()]), copy.copy((1, 2)), copy.deepcopy((1, (2,))))
    m = MyList([inner])
    m.tag = inner
    n = copy.deepcopy(m)
    print(type(n).__name__, n, n.tag, n.tag is n[0], copy.copy(m).tag is inner)
    e = ValueError("text", 5)
    print(repr(copy.copy(e)), copy.deepcopy({1: {2, 3}}), copy.copy(bytearray(b"x")), copy.deepcopy(len) is len)


@dataclass
class Point:
    x: int
    y: int = 2
    tags: list = field(default_factory=list)

    def total(self):
        return self.x + self.y


@dataclass(order=True, frozen=True)
class Version:
    major: int
    minor: int = 0


@dataclass
class Child(Point):
    z: int = 9
    hidden: int = field(default=1, repr=False, compare=False)

    def __post_init__(self):
        self.sum = self.x + self.z


def classes():
    p = Point(1)
    print(p, p == Point(1), p == Point(2), p.total(), Point(x=5, y=6), p.tags is Point(1).tags)
    print(Version(1, 2) < Version(1, 3), sorted([Version(2), Version(1)]), hash(Version(1)) == hash(Version(1)))
    print(Child(1), Child(1).sum, [f.name for f in dataclasses.fields(Child)])
    print(dataclasses.asdict(Point(1, 2, ["a"])), dataclasses.astuple(Version(3)), dataclasses.replace(p, x=7))
    for call in (lambda: Point(), lambda: Point(1, 2, 3, 4), lambda: Point(1, w=2), lambda: hash(p)):
        try:
            call()
        except TypeError as error:
            print("TypeError:", error)
    try:
        Version(1).major = 2
    except dataclasses.FrozenInstanceError as error:
        print("FrozenInstanceError:", error)


def fractions():
    a, b = Fraction(1, 3), Fraction("0.25")
    print(a, repr(b), a + b, a - b, a * b, a / b, -a, a ** 2, a ** -1, a // b, a % b, abs(Fraction(-1, 2)))
    print(a + 1, 1 - a, 2 * a, 1 / a, a + 0.5, a < b, a == Fraction(2, 6), Fraction(4, 2) == 2, hash(Fraction(2)) == hash(2))
    print(float(a), int(Fraction(-7, 2)), round(Fraction(5, 2)), round(Fraction(7, 2)), Fraction(0.5), Fraction("-3/6"), Fraction("1e-3"))
    print(Fraction(3.141592653589793).limit_denominator(1000), Fraction(10**20, 3) * 3, hash(a) == hash(Fraction(2, 6)), bool(Fraction(0)))
    for bad in (lambda: Fraction(1, 0), lambda: Fraction("x"), lambda: Fraction([])):
        try:
            bad()
        except (ZeroDivisionError, ValueError, TypeError) as error:
            print(type(error).__name__)


def names():
    print(isinstance(len, types.BuiltinFunctionType), isinstance(names, types.FunctionType), isinstance(string, types.ModuleType))
    print(types.SimpleNamespace(a=1, b="x"), isinstance((x for x in ()), types.GeneratorType))
    print(string.ascii_letters, string.digits, string.capwords("some words"))


for test in (contexts, copies, classes, fractions, names):
    print("--", test.__name__)
    test()
