# Special methods: operators, containers, calls, comparison, conversion.
class V:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return f"V({self.x})"

    def __str__(self):
        return f"<{self.x}>"

    def __add__(self, o):
        return V(self.x + o.x) if isinstance(o, V) else V(self.x + o) if isinstance(o, int) else NotImplemented

    def __radd__(self, o):
        return V(o + self.x)

    def __sub__(self, o):
        return V(self.x - (o.x if isinstance(o, V) else o))

    def __rsub__(self, o):
        return V(o - self.x)

    def __mul__(self, o):
        return V(self.x * o)

    __rmul__ = __mul__

    def __truediv__(self, o):
        return "truediv", o

    def __floordiv__(self, o):
        return "floordiv", o

    def __mod__(self, o):
        return "mod", o

    def __divmod__(self, o):
        return "divmod", o

    def __pow__(self, o, m=None):
        return "pow", o, m

    def __rpow__(self, o):
        return "rpow", o

    def __lshift__(self, o):
        return "lshift", o

    def __rrshift__(self, o):
        return "rrshift", o

    def __and__(self, o):
        return "and", o

    def __ror__(self, o):
        return "ror", o

    def __xor__(self, o):
        return "xor", o

    def __matmul__(self, o):
        return "matmul", o

    def __neg__(self):
        return V(-self.x)

    def __pos__(self):
        return "pos"

    def __invert__(self):
        return "invert"

    def __abs__(self):
        return V(abs(self.x))

    def __iadd__(self, o):
        self.x += o
        return self

    def __eq__(self, o):
        return isinstance(o, V) and self.x == o.x

    def __hash__(self):
        return hash(self.x)

    def __lt__(self, o):
        return self.x < o.x

    def __le__(self, o):
        return self.x <= o.x

    def __bool__(self):
        return self.x != 0

    def __int__(self):
        return self.x

    def __float__(self):
        return self.x + 0.5

    def __index__(self):
        return self.x

    def __round__(self, n=None):
        return "round", n

    def __call__(self, *a, **k):
        return self.x, a, k


v, w = V(3), V(5)
print(v, repr(v), [v], v + w, v + 1, 1 + v, v - w, 10 - v, v * 2, 2 * v, v / 1, v // 2, v % 3, divmod(v, 4), v ** 5, pow(v, 1, 2), 2 ** v, v << 1, 1 >> v, v & 1, 1 | v, v ^ 2, v @ 3)
print(-v, +v, ~v, abs(V(-2)), v == V(3), v != V(3), v == 3, v < w, v > w, v <= w, v >= w, bool(v), bool(V(0)), not V(0), int(v), float(v), round(v), round(v, 2), v(1, 2, k=3), hash(v) == hash(3))
u = v
u += 10
print(u, v, u is v, sorted([V(3), V(1), V(2)]), max(V(1), V(9)), min([V(4), V(2)]), sum([V(1), V(2)]), {V(1): "a"}[V(1)], V(2) in [V(1), V(2)], [10, 20, 30, 40, 50][V(2)], list(range(V(3))), "ab" * V(2), hex(V(255)), "x" if V(0) else "y", V(1) and "and", V(0) or "or")


class Box:
    def __init__(self):
        self.d = {}

    def __len__(self):
        return len(self.d)

    def __getitem__(self, k):
        print("get", k)
        return self.d[k]

    def __setitem__(self, k, v):
        print("set", k, v)
        self.d[k] = v

    def __delitem__(self, k):
        print("del", k)
        del self.d[k]

    def __contains__(self, k):
        return k in self.d

    def __iter__(self):
        return iter(sorted(self.d))

    def __reversed__(self):
        return iter(sorted(self.d, reverse=True))


b = Box()
print(bool(b))
b["x"] = 1
b["x"] += 5
b["a"] = b["x"]
del b["x"]
b["q", 1] = 3
print(len(b), "a" in b, "x" in b, bool(b))
del b["q", 1]
b["z"] = 0
print(list(b), [*b], list(reversed(b)), sorted(b), tuple(b), max(b), dict.fromkeys(b))


class Seq:
    def __getitem__(self, i):
        if i >= 3:
            raise IndexError("end")
        return i * 10


print(list(Seq()), 20 in Seq(), 25 in Seq(), [x for x in Seq()], tuple(Seq()), sum(Seq()), *Seq())


class It:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


print(list(It(3)), sum(It(5)), max(It(4)), 2 in It(4), dict(zip("ab", It(2))), [*It(2)], next(It(1)), next(It(0), "dflt"))


class Attr:
    def __init__(self):
        object.__setattr__(self, "log", [])

    def __getattr__(self, name):
        if name.startswith("dyn"):
            return "dynamic " + name
        raise AttributeError("no " + name)

    def __setattr__(self, name, value):
        self.log.append((name, value))
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        self.log.append(("del", name))
        object.__delattr__(self, name)


o = Attr()
o.p = 1
o.p += 1
del o.p
print(o.log, o.dyn1, hasattr(o, "zzz"), getattr(o, "dynx"), getattr(o, "q", "fallback"))
try:
    o.nothing
except AttributeError as e:
    print(e)


class GA:
    def __getattribute__(self, name):
        if name == "real":
            return object.__getattribute__(self, "__dict__")
        return "got " + name


g = GA()
g.x = 1
print(g.x, g.anything, g.real)


class Desc:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, obj, owner=None):
        return ("class", owner.__name__) if obj is None else ("get", self.name, obj.__dict__.get(self.name))

    def __set__(self, obj, value):
        obj.__dict__[self.name] = value * 2

    def __delete__(self, obj):
        del obj.__dict__[self.name]


class NonData:
    def __get__(self, obj, owner=None):
        return "nondata"


class HasD:
    d = Desc()
    n = NonData()


h = HasD()
h.d = 21
print(h.d, HasD.d, h.n, h.__dict__)
h.n = "instance wins"
del h.d
print(h.n, h.d, HasD.n)


class Eq:
    def __eq__(self, o):
        return "custom"

    def __ne__(self, o):
        return "ne"

    def __lt__(self, o):
        return NotImplemented

    def __gt__(self, o):
        return "reflected"


print(Eq() == 1, 1 == Eq(), Eq() != 1, Eq() < Eq(), Eq() > 5, 5 < Eq())
try:
    hash(Eq())
except TypeError as e:
    print(e)
try:
    Eq() <= Eq()
except TypeError as e:
    print(e)


class Bad:
    def __len__(self):
        return -1

    def __bool__(self):
        return 5

    def __str__(self):
        return 5

    def __repr__(self):
        return None

    def __hash__(self):
        return "x"

    def __iter__(self):
        return 5

    def __index__(self):
        return "i"

    def __contains__(self, x):
        return [0]


for bad in (lambda: len(Bad()), lambda: bool(Bad()), lambda: str(Bad()), lambda: repr(Bad()), lambda: hash(Bad()), lambda: iter(Bad()), lambda: [1][Bad()], lambda: 1 in Bad(), lambda: V(1) + "a", lambda: "a" + V(1), lambda: [] + V(1)):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)


class Sub(V):
    def __radd__(self, o):
        return "sub first"


print(V(1) + Sub(2), Sub(1) + V(2))


class L(list):
    def first(self):
        return self[0]

    def __len__(self):
        return 100


l = L([1, 2])
l.append(3)
l.note = "attr"
print(l, l.first(), len(l), l.note, isinstance(l, list), l + [4], type(l + [4]).__name__, l == [1, 2, 3], type(l[:]).__name__)


class I(int):
    def __repr__(self):
        return "I" + super().__repr__()

    def twice(self):
        return self * 2


print(I(5), I(5) + 1, I(5).twice(), type(I(5) + 1).__name__, [I(3)], I(5) == 5, {5: "five"}[I(5)], str(I(7)))


class S(str):
    tag = "t"


class T(tuple):
    def total(self):
        return sum(self)


class F(float):
    pass


print(S("ab").upper(), S("ab") + "c", S("x") == "x", len(S("abc")), T([1, 2]).total(), T((1,)) == (1,), F(1.5) * 2, isinstance(F(1), float), S("q").tag)


# ---- a name that is stored the usual way and read another way, and the other way round
class ReadsOtherwise:
    def __getattribute__(self, name):
        return "read " + name

    def x(self):
        return "method"


class StoresOtherwise:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, ("stored", value))


def use(o):
    o.x = 1
    return o.x


for _ in range(3):
    print(use(ReadsOtherwise()), use(StoresOtherwise()), [use(c()) for c in (ReadsOtherwise, StoresOtherwise)])
try:
    ReadsOtherwise().x()
except TypeError as e:
    print(e)
