# Special methods of operators: forward, reflected, in place, subclasses first, NotImplemented, augmented targets.
import operator


class V:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return "%s(%s)" % (type(self).__name__, self.x)


def method(name):
    def forward(self, other):
        if isinstance(other, str):
            return NotImplemented
        return "%s %s %s" % (self, name, other)

    def reflected(self, other):
        if isinstance(other, bytes):
            return NotImplemented
        return "%s r%s %s" % (self, name, other)
    return forward, reflected


names = ["add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor", "divmod"]
for n in names:
    f, r = method(n)
    setattr(V, "__%s__" % n, f)
    setattr(V, "__r%s__" % n, r)


class W(V):
    def __radd__(self, other):
        return "W radd %r" % (other,)


v = V(1)
print([v + 1, v - 2, v * 3, v @ 4, v / 5, v // 6, v % 7, v ** 8, v << 9, v >> 1, v & 2, v | 3, v ^ 4, divmod(v, 5)])
print([1 + v, 2 - v, 3 * v, 4 @ v, 5 / v, 6 // v, 7 % v, 8 ** v, 9 << v, 1 >> v, 2 & v, 3 | v, 4 ^ v, divmod(5, v)])
print(v + W(2), W(2) + v, v - W(2), "s" + v, [1] * v, 2.5 + v, None + v)
for bad in (lambda: v + "s", lambda: b"b" + v, lambda: v ** "s", lambda: object() + object(), lambda: v < v, lambda: -v, lambda: ~v, lambda: abs(v),
            lambda: v[0], lambda: len(v), lambda: v(), lambda: iter(v), lambda: 1 in v, lambda: int(v), lambda: round(v), lambda: v.__index__()):
    try:
        print(bad())
    except (TypeError, AttributeError) as e:
        print(e)


class I(V):
    def __iadd__(self, other):
        self.x += other
        return self

    def __isub__(self, other):
        return NotImplemented

    def __imul__(self, other):
        return "replaced"


i = j = I(1)
i += 5
print(i, i is j)
i -= 1
print(i)
j *= 2
print(j)
box = [I(1)]
box[0] += 2
t = ([1],)
try:
    t[0] += [2]
except TypeError as e:
    print(e, t)
print(box)


class Num:
    def __init__(self, n):
        self.n = n

    def __neg__(self): return Num(-self.n)
    def __pos__(self): return Num(+self.n)
    def __invert__(self): return Num(~self.n)
    def __abs__(self): return abs(self.n)
    def __int__(self): return self.n
    def __float__(self): return float(self.n)
    def __index__(self): return self.n
    def __bool__(self): return self.n != 0
    def __round__(self, d=None): return ("round", self.n, d)
    def __trunc__(self): return "trunc"
    def __floor__(self): return "floor"
    def __ceil__(self): return "ceil"
    def __hash__(self): return hash(self.n)
    def __eq__(self, other): return self.n == (other.n if isinstance(other, Num) else other)
    def __lt__(self, other): return self.n < (other.n if isinstance(other, Num) else other)
    def __repr__(self): return "N%d" % self.n


import math
n = Num(3)
print(-n, +n, ~n, abs(Num(-4)), int(n), float(n), bool(Num(0)), round(n), round(n, 2), math.trunc(n), math.floor(n), math.ceil(n))
print([10, 20, 30, 40][n], "abcdef"[Num(1):Num(4)], range(Num(5))[Num(2)], hex(n), bin(n), [0] * n, n == 3, 3 == n, n != 4, n < 5, 5 > n, sorted([Num(2), Num(1)]))
print({n: "x"}[3], {3: "y"}[n], n in {3}, operator.index(n), math.sqrt(Num(16)), "%d %x %s" % (n, n, n), chr(Num(65)), bytes([Num(66)]), divmod(7, 2))
for bad in (lambda: n > 1 if False else n <= 1, lambda: n + 1, lambda: sum([n])):
    try:
        print(bad())
    except TypeError as e:
        print(e)


class Compare:
    def __init__(self, name, answer):
        self.name, self.answer = name, answer

    def __lt__(self, other):
        log.append(self.name + "<")
        return self.answer

    def __gt__(self, other):
        log.append(self.name + ">")
        return self.answer

    def __eq__(self, other):
        log.append(self.name + "=")
        return self.answer

    __hash__ = None


log = []
a, b = Compare("a", NotImplemented), Compare("b", "yes")
print(a < b, a > b, a == b, b == a, a != b, log)
log.clear()
try:
    a < Compare("c", NotImplemented)
except TypeError as e:
    print(e, log)
print(a == a, a == Compare("d", NotImplemented), a is a, a in [a], [a] == [a])


class Seq:
    def __init__(self, *items):
        self.items = items

    def __getitem__(self, i):
        if isinstance(i, (slice, tuple)):
            return i
        return self.items[i]


s = Seq(1, 2, 3)
print(list(s), 2 in s, 9 in s, s[1:2], s[::2], s[1, 2], s[:, 1:], list(reversed([1])), max(s), sum(s), tuple(s), dict(zip(s, s)))


class Container:
    def __contains__(self, x):
        return "truthy" if x else ""

    def __len__(self):
        return 0

    def __call__(self, *a, **k):
        return a, k

    def __getitem__(self, k):
        raise KeyError(k)

    def __setitem__(self, k, v):
        print("set", k, v)

    def __delitem__(self, k):
        print("del", k)


c = Container()
c[1:2], c["k"] = "a", "b"
del c[0], c[1:], c[..., 2]
print(1 in c, 0 in c, 0 not in c, bool(c), c(1, *[2], k=3, **{"z": 4}), not c)
for bad in (lambda: len(type("L", (), {"__len__": lambda s: -1})()), lambda: len(type("L", (), {"__len__": lambda s: "x"})()),
            lambda: bool(type("B", (), {"__bool__": lambda s: 1})()), lambda: hash(type("H", (), {"__hash__": lambda s: "x"})()),
            lambda: [].__getitem__("x"), lambda: int(type("X", (), {"__int__": lambda s: "5"})()), lambda: iter(type("X", (), {"__iter__": lambda s: 5})()),
            lambda: str(type("X", (), {"__str__": lambda s: 5})()), lambda: repr(type("X", (), {"__repr__": lambda s: None})())):
    try:
        print(bad())
    except (TypeError, ValueError) as e:
        print(e)
print(pow(2, 10), pow(3, -1, 7), operator.matmul(v, 1), operator.iadd([1], [2]), operator.concat("a", "b"), operator.truth([]), 1 .__add__(2), (5).__rsub__(7))
