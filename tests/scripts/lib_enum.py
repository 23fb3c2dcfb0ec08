# enum: members, values, mixins, flags, checks.
import copy
from enum import (Enum, IntEnum, StrEnum, Flag, IntFlag, auto, unique, member, nonmember, CONFORM, EJECT, KEEP)

class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3
    ROUGE = 1
print(Color.RED, repr(Color.GREEN), Color(3), Color["BLUE"], list(Color), len(Color))
print(Color.RED.name, Color.RED.value, Color.ROUGE is Color.RED, Color.__members__)
print(Color.RED == 1, Color.RED in Color, isinstance(Color.RED, Color), type(Color.RED))
print(Color, repr(Color), [c.name for c in reversed(Color)])
for bad in (lambda: Color(9), lambda: Color["X"], lambda: setattr(Color, "RED", 5), lambda: delattr(Color, "RED"),
            lambda: 3 in Color):
    try:
        print(bad())
    except Exception as e: print(type(e).__name__, e)
try:
    Color.RED.value = 5
except AttributeError as e: print("AttributeError", e)
try:
    class More(Color): PINK = 4
except TypeError as e: print(e)
class Num(IntEnum):
    ONE = 1
    TWO = auto()
    TEN = 10
    NEXT = auto()
print(Num.ONE, repr(Num.TWO), Num.TEN + 1, Num.NEXT, list(Num), Num.ONE < Num.TWO, f"{Num.TEN:>5}", "%d" % Num.TEN, Num(2) is Num.TWO, 2 in [Num.TWO], hash(Num.TWO)==hash(2))
print(sorted([Num.TEN, Num.ONE]), {Num.ONE: 'a'}[1], max(Num))
class S(StrEnum):
    ALPHA = auto()
    BETA = "bb"
print(S.ALPHA, repr(S.BETA), S.BETA.upper(), f"{S.ALPHA!s:>8}", S("bb"), S.ALPHA == "alpha")
class P(Flag):
    R = auto(); W = auto(); X = auto()
    RW = R | W
print(P.R, repr(P.R|P.X), P.RW, list(P), list(P.RW), len(P.RW), P.R in P.RW, P.X in P.RW, ~P.R, bool(P.R & P.W), P(0), repr(P(0)), P(7), P.RW ^ P.R, P(3) is P.RW)
class Q(IntFlag):
    A = 1; B = 2; C = 4
print(Q.A|Q.B, repr(Q.A|Q.C), repr(Q(8)), Q.A|8, repr(Q.A | 8), Q.A + 1, repr(~Q.A), Q.A == 1, repr(Q(0)), Q.A & 3, str(Q.C))
class Planet(Enum):
    MERCURY = (3.303e+23, 2.4397e6)
    EARTH = (5.976e+24, 6.37814e6)
    def __init__(self, mass, radius):
        self.mass = mass; self.radius = radius
    @property
    def g(self): return 6.67e-11 * self.mass / self.radius ** 2
print(Planet.EARTH.value, Planet.EARTH.mass, round(Planet.EARTH.g, 3), Planet((3.303e+23, 2.4397e6)))
class Coord(bytes, Enum):
    def __new__(cls, value, label):
        obj = bytes.__new__(cls, [value])
        obj._value_ = value
        obj.label = label
        return obj
    PX = (0, 'X'); PY = (1, 'Y')
print(Coord(1), Coord.PY.label, Coord.PY == b'\x01')
class Op(Enum):
    ADD = "+"
    SUB = "-"
    def __call__(self, a, b):
        return a + b if self is Op.ADD else a - b
    @classmethod
    def parse(cls, s): return cls(s)
    @staticmethod
    def hello(): return "hi"
print(Op.ADD(1,2), Op.parse("-")(5,3), Op.hello())
@unique
class U(Enum):
    A = 1; B = 2
try:
    @unique
    class V(Enum):
        A = 1; B = 1; C = 1
except ValueError as e: print(e)
try:
    class D(Enum):
        A = 1; A = 2
except TypeError as e: print(e)
Animal = Enum("Animal", "ANT BEE CAT")
print(list(Animal), Animal.BEE.value, Animal.__name__, Animal.__module__)
Level = IntEnum("Level", {"LOW": 10, "HIGH": 20})
print(list(Level))
class Auto(Enum):
    @staticmethod
    def _generate_next_value_(name, start, count, last): return name.lower()
    X = auto(); Y = auto()
print(list(Auto))
class Miss(Enum):
    A = "a"
    @classmethod
    def _missing_(cls, v):
        if isinstance(v, str): return cls._value2member_map_.get(v.lower())
print(Miss("A"))
try: Miss(3)
except ValueError as e: print(e)
class Sh(Enum):
    _ignore_ = ["i"]
    A = 1
    for i in range(3): pass
    def describe(self): return self.name + "!"
print(list(Sh), Sh.A.describe(), hasattr(Sh, "i"))
class Base(Enum):
    def hi(self): return f"hi {self.name}"
class Der(Base):
    A = 1
print(Der.A.hi(), Der.A, issubclass(Der, Base), Der.__mro__[1].__name__)
print(copy.copy(Color.RED) is Color.RED, copy.deepcopy([Color.RED])[0] is Color.RED)
class T(tuple, Enum):
    A = (1, 2); B = (3,)
print(T.A, repr(T.B), T((1,2)), T.A[1])
class F(float, Enum):
    HALF = 0.5
print(F.HALF, repr(F.HALF), F.HALF * 2, F(0.5))
class L(Enum):
    A = [1]; B = [2]; C = [1]
print(L([1]), L.C is L.A, repr(L.B), L([2]))
print(Color.RED.__class__, Color.__class__.__name__, Color.RED.__module__, Color.__doc__, {Color.RED: 1}[Color.ROUGE])
print(f"{Color.RED}", f"{Color.RED:>12}|", "%s" % Color.RED, str(Color.RED), format(Num.ONE, "03d"))
class W(Flag, boundary=CONFORM):
    A=1;B=2
print(repr(W(5)), repr(W(4)))
class E2(Flag, boundary=EJECT):
    A=1;B=2
print(repr(E2(5)), type(E2(5)))
class K(Flag, boundary=KEEP):
    A=1;B=2
print(repr(K(5)), K(5))
print(repr(P.R | P.W | P.X), P.R | P.X, ~P.RW, ~P(0))
class N(Enum):
    A = 1
    @nonmember
    class Inner: pass
    B = 2
    @member
    def f(self): pass
print(list(N)[:2], len(N), N.Inner.__name__)
print(Color.RED in (Color.RED,), Color(Color.RED), Color.RED != Color.BLUE, Color.RED is not None, bool(Color.RED))
try: Color.RED < Color.BLUE
except TypeError as e: print(e)
print(dir(Color)[:3])
class Weekday(Enum):
    MON=1; TUE=2
    @classmethod
    def first(cls): return cls.MON
print(Weekday.first())
try:
    class Bad(int, str, Enum): A = 1
except TypeError as e: print("TypeError")
