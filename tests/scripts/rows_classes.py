# Functions and classes, row by row.
class A:
    """doc"""
    x = 1
    def __init__(self, v=0): self.v = v
    def m(self): return ("A.m", self.v)
    @staticmethod
    def s(a): return a
    @classmethod
    def c(cls): return cls.__name__
    @property
    def p(self): return self.v
    @p.setter
    def p(self, v): self.v = v * 2
    @p.deleter
    def p(self): print("del p")
class B(A):
    def m(self): return ("B.m", super().m(), super(B, self).m(), A.m(self))
b = B(3)
print(b.m(), B.s(1), b.s(2), B.c(), b.c(), b.p); b.p = 5; print(b.p); del b.p
print(A.__doc__, A.__name__, A.__qualname__, A.__module__, B.__bases__, B.__mro__, b.__class__, b.__dict__, type(b) is B, A.m.__qualname__)
print(isinstance(b, A), issubclass(B, A), isinstance(b, (int, A)), issubclass(B, (int, object)))
print(hasattr(b, "x"), getattr(b, "zz", 5), getattr(b, "x")); setattr(b, "q", 1); print(b.q); delattr(b, "q")
try: getattr(b, "q")
except AttributeError as e: print(e)
try: A.nope
except AttributeError as e: print(e)
try: A().p.x
except AttributeError as e: print(e)
class R:
    @property
    def ro(self): return 1
try: R().ro = 5
except AttributeError as e: print(e)
try: del R().ro
except AttributeError as e: print(e)
class X: pass
class Y(X): pass
class Z(X): pass
class W(Y, Z): pass
print([k.__name__ for k in W.__mro__])
try:
    class Bad(X, Y): pass
except TypeError as e: print(e)
try:
    class Bad2(X, X): pass
except TypeError as e: print(e)
class S:
    __slots__ = ("a", "b", "__weakref__")
s = S(); s.a = 1
try: s.b
except AttributeError as e: print(e)
try: s.c = 1
except AttributeError as e: print(e)
try: s.__dict__
except AttributeError as e: print(e)
del s.a
try: del s.a
except AttributeError as e: print(e)
class S2(S): __slots__ = ()
try: S2().c = 1
except AttributeError as e: print(e)
class S3(S): pass
S3().c = 1
print(S.a, S.__slots__)
try:
    class S4:
        __slots__ = ("a",)
        a = 1
except ValueError as e: print(e)
class V:
    def __init__(s, x): s.x = x
    def __eq__(s, o): return isinstance(o, V) and s.x == o.x
    def __hash__(s): return hash(s.x)
    def __lt__(s, o): return s.x < o.x
    def __le__(s, o): return s.x <= o.x
    def __add__(s, o): return V(s.x + (o.x if isinstance(o, V) else o))
    def __radd__(s, o): return V(o + s.x)
    def __sub__(s, o): return V(s.x - o.x)
    def __mul__(s, o): return V(s.x * o)
    __rmul__ = __mul__
    def __neg__(s): return V(-s.x)
    def __pos__(s): return "pos"
    def __invert__(s): return "inv"
    def __abs__(s): return "abs"
    def __bool__(s): return s.x != 0
    def __len__(s): return 7
    def __getitem__(s, i): return ("item", i)
    def __setitem__(s, i, v): print("set", i, v)
    def __delitem__(s, i): print("del", i)
    def __contains__(s, i): return i == 1
    def __iter__(s): return iter([1, 2])
    def __call__(s, *a, **k): return a, k
    def __repr__(s): return "V(%r)" % s.x
    def __str__(s): return "<%s>" % s.x
    def __iadd__(s, o): s.x += o; return s
    def __int__(s): return 5
    def __float__(s): return 5.5
    def __index__(s): return 3
    def __divmod__(s, o): return "dm"
    def __truediv__(s, o): return "td"
    def __floordiv__(s, o): return "fd"
    def __mod__(s, o): return "mod"
    def __pow__(s, o, m=None): return ("pow", m)
    def __rpow__(s, o): return "rpow"
    def __lshift__(s, o): return "ls"
    def __rshift__(s, o): return "rs"
    def __and__(s, o): return "and"
    def __or__(s, o): return "or"
    def __xor__(s, o): return "xor"
    def __rand__(s, o): return "rand"
    def __matmul__(s, o): return "mm"
    def __round__(s, n=None): return ("round", n)
    def __trunc__(s): return "trunc"
    def __floor__(s): return "floor"
    def __ceil__(s): return "ceil"
    def __format__(s, spec): return "fmt:" + spec
    def __bytes__(s): return b"bytes"
    def __reversed__(s): return "rev"
    def __complex__(s): return 1
    def __dir__(s): return ["b", "a"]
    def __sizeof__(s): return 5
v = V(1)
print(v == V(1), v != V(2), v < V(2), v > V(0), v <= V(1), v >= V(1), v + V(1), v + 1, 1 + v, v - V(1), v * 3, 3 * v, -v, +v, ~v, abs(v), bool(v), bool(V(0)), len(v), v[1], v[1:2], v[1, 2], v[::2], 1 in v, 2 in v, list(v), v(1, a=2), repr(v), str(v), int(v), float(v), [0, 1, 2, 9][v], divmod(v, 1), v / 1, v // 1, v % 1, v ** 1, pow(v, 1, 2), 2 ** v, v << 1, v >> 1, v & 1, v | 1, v ^ 1, 1 & v, v @ 1, round(v), round(v, 2), f"{v:abc}", format(v), bytes(v), reversed(v), dir(v), hex(v), {V(1): 2}[V(1)], V(1) in [V(1)], sum([V(1), V(2)], V(0)), "%s %r" % (v, v), "%d" % v, range(V(0)), "ab" * v)
import math, operator
print(math.floor(v), math.ceil(v), math.trunc(v), operator.index(v))
v[1] = 2; del v[1]; v += 1; print(v)
for bad in (lambda: object() + 1, lambda: object() < object(), lambda: len(object()), lambda: object()[0], lambda: iter(object()), lambda: object()(), lambda: 1 in object(), lambda: int(object()), lambda: -object(), lambda: hash([]), lambda: abs("a"), lambda: object().__setitem__, lambda: float(object()), lambda: [][object()], lambda: {}.a, lambda: divmod(1, "a"), lambda: round("a"), lambda: object() @ 1, lambda: object() ** 1, lambda: pow("a", 1), lambda: 1 << 1.0, lambda: reversed(5), lambda: next(5), lambda: open, lambda: format(object(), "x"), lambda: bytes(object()), lambda: sum(5), lambda: isinstance(1, "a"), lambda: X(1), lambda: X.m, lambda: A.m(), lambda: b.m(1)):
    try: bad()
    except (TypeError, AttributeError) as e: print(type(e).__name__, e)
class NoHash:
    def __eq__(s, o): return True
try: hash(NoHash())
except TypeError as e: print(e)
class BadStr:
    def __str__(s): return 5
    def __repr__(s): return 5
    def __len__(s): return -1
    def __bool__(s): return 5
    def __hash__(s): return "a"
    def __iter__(s): return 5
    def __index__(s): return "a"
    def __contains__(s, x): return [1]
for bad in (str, repr, len, bool, hash, iter, hex, lambda b: 1 in b, lambda b: [1][b], lambda b: "%s" % b):
    try: print(bad(BadStr()))
    except (TypeError, ValueError) as e: print(type(e).__name__, e)
class G:
    def __getattr__(s, n):
        if n.startswith("dyn"): return n
        raise AttributeError(n)
    def __setattr__(s, n, v): print("setattr", n, v); object.__setattr__(s, n, v)
    def __delattr__(s, n): print("delattr", n); object.__delattr__(s, n)
g = G(); print(g.dyn1); g.z = 1; print(g.z); del g.z
try: g.other
except AttributeError as e: print("AE", e)
class GA:
    def __getattribute__(s, n): return "ga:" + n
print(GA().x)
class Desc:
    def __get__(s, o, t=None): return ("get", o is None, t.__name__)
    def __set__(s, o, v): print("dset", v)
    def __delete__(s, o): print("ddel")
    def __set_name__(s, o, n): print("name", o.__name__, n)
class H: d = Desc()
h = H(); print(h.d, H.d); h.d = 5; del h.d; h.__dict__["d"] = 7; print(h.d)
class ND:
    def __get__(s, o, t=None): return "nd"
class H2: d = ND()
h = H2(); print(h.d); h.d = 5; print(h.d)
class L(list):
    def __init__(s, *a): super().__init__(*a); s.extra = 1
    def first(s): return s[0]
l = L([1, 2]); l.append(3); print(l, l.first(), l.extra, len(l), l == [1, 2, 3], isinstance(l, list), l + [4], l[1:], sorted(l), L.__mro__)
class D(dict):
    def __missing__(s, k): s[k] = k * 2; return s[k]
    def __setitem__(s, k, v): print("si", k); super().__setitem__(k, v)
d = D(a=1); d["b"] = 2; print(d["zz"], d, len(d)); d.update(q=1); print(sorted(d))
class I(int):
    def __new__(cls, v, tag=None): o = super().__new__(cls, v); o.tag = tag; return o
    def __add__(s, o): return I(int(s) + o, "sum")
i = I(5, "t"); print(i, i.tag, (i + 1).tag, i * 2, i == 5, {5: 1}[i], "%d" % i, repr(i), I(2) < 3, [1, 2, 3][I(1)])
class St(str): pass
class Tu(tuple):
    def __new__(cls, *a): return super().__new__(cls, a)
class Fl(float): pass
class By(bytes): pass
class Se(set): pass
class Fs(frozenset): pass
class Ba(bytearray): pass
print(St("a").upper(), Tu(1, 2), Fl(1.5) + 1, By(b"a"), Se([1]), Fs([1]), Ba(b"x"), repr(Se()), Se([1]) | {2}, type(Se([1]) | {2}), type(Fs([1]).copy()))
C2 = type("C2", (A,), {"y": 5, "f": lambda s: s.y}); print(C2().f(), C2.__name__, C2(1).m())
class Meta(type):
    def __new__(m, n, b, d, **k): d["tag"] = k.get("tag"); return super().__new__(m, n, b, d)
    def __init__(c, n, b, d, **k): super().__init__(n, b, d)
    def __call__(c, *a): print("call"); return super().__call__(*a)
    def __len__(c): return 9
class MC(metaclass=Meta, tag="t"): pass
print(MC.tag, len(MC), type(MC), MC() is not None)
class Sub:
    def __init_subclass__(cls, **k): print("sub", cls.__name__, k)
class Sub1(Sub, a=1): pass
class N:
    def __new__(cls, *a): print("new", a); return object.__new__(cls)
    def __init__(s, *a): print("init", a)
N(1)
class NI:
    def __new__(cls): return 5
print(NI())
try: object(1)
except TypeError as e: print(e)
class IR:
    def __init__(s): return 5
try: IR()
except TypeError as e: print(e)
print(b.m.__self__ is b, b.m.__func__ is B.m, b.m == b.m, b.m is b.m, b.m.__name__, hash(b.m) == hash(b.m), str(b.m)[:20], B.m.__name__)
def f(a, b=1, *, c=2): "d"; return a
f.attr = 5
print(f.__name__, f.__qualname__, f.__defaults__, f.__kwdefaults__, f.__doc__, f.__dict__, f.attr, f.__module__, f.__closure__, f.__code__.co_name, f.__code__.co_argcount, f.__code__.co_varnames)
f.__defaults__ = (9,); print(f(1)); f.__name__ = "g"; f.__kwdefaults__ = {"c": 8}; f.__qualname__ = "q"; print(f.__name__, f.__qualname__)
class P1: z = 1
class P2: z = 2
o = P1(); o.__class__ = P2; print(o.z); o.__dict__ = {"k": 1}; print(o.k); P2.z = 7; print(o.z); del P2.z
try: o.__class__ = int
except TypeError as e: print(e)
try: o.__dict__ = 5
except TypeError as e: print(e)
try: int.x = 1
except TypeError as e: print(e)
try: (5).x = 1
except AttributeError as e: print(e)
try: object().x = 1
except AttributeError as e: print(e)
class Priv:
    def __init__(s): s.__x = 1
    def get(s): return s.__x
print(Priv().get(), Priv().__dict__)
class Cnt:
    n = 0
    def __init__(s): Cnt.n += 1
    def __del__(s): Cnt.n -= 1
k = Cnt(); print(Cnt.n); del k; print(Cnt.n)
class Dd:
    def __enter__(s): return s
    def __exit__(s, t, v, tb): print(t.__name__ if t else None, v, tb is not None); return True
with Dd() as q: raise ValueError("v")
print(list[int], dict[str, int], int | None, list[int].__origin__)
class CI:
    def __class_getitem__(cls, i): return ("cgi", i)
print(CI[5])
print(dir(X())[:0], sorted(k for k in vars(A) if not k.startswith("__")))
print(repr(A)[:18], repr(X())[:20], repr(len), repr(f)[:10], repr(int.__add__))
print(type(f), type(len), type([].append), type(b.m), type(A.__dict__), type(int.__add__), type(A.p), type(A.__dict__["s"]), type(A.__dict__["c"]))
import functools
@functools.total_ordering
class TO:
    def __init__(s, v): s.v = v
    def __eq__(s, o): return s.v == o.v
    def __lt__(s, o): return s.v < o.v
print(TO(1) >= TO(0), TO(1) > TO(0), TO(1) <= TO(1))
