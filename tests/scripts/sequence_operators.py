# Who is asked first by + and *, and what it says: the numbers of both sides before the sequences, which have no __radd__.
import array
import itertools
import sys
import threading
import weakref
from collections import deque
class P:
    def __init__(self, ni=False): self.ni = ni
    def __radd__(self, o): return NotImplemented if self.ni else ("radd", o)
    def __rmul__(self, o): return NotImplemented if self.ni else ("rmul", o)
    def __getitem__(self, i):
        if i > 1: raise IndexError
        return i
    def __iter__(self): return iter((7, 8))
    def __index__(self): return 2
class Q(P):
    def __add__(self, o): return ("add", o)
    def __mul__(self, o): return ("mul", o)
for kind in (P, Q):
    for ni in (False, True):
        for make in (lambda: [1], lambda: (1,), lambda: "a", lambda: b"a", lambda: bytearray(b"a"), lambda: deque([1])):
            for op in "+", "*":
                for aug in (False, True):
                    t = make(); p = kind(ni)
                    try:
                        if op == "+":
                            if aug: t += p
                            else: t = t + p
                        else:
                            if aug: t *= p
                            else: t = t * p
                        print(kind.__name__, ni, op, aug, t)
                    except Exception as e:
                        print(kind.__name__, ni, op, aug, type(make()).__name__, type(e).__name__, e)
                    try:
                        p = kind(ni); t = make()
                        if op == "+":
                            t = p + t
                        else:
                            t = p * t
                        print(kind.__name__, ni, op, "left", t)
                    except Exception as e:
                        print(kind.__name__, ni, op, "left", type(make()).__name__, type(e).__name__, e)
class L(list):
    def __iadd__(self, o): return "L.iadd"
class LA(list):
    def __add__(self, o): return "LA.add"
class LR(list):
    def __radd__(self, o): return "LR.radd"
    def __rmul__(self, o): return "LR.rmul"
for a in (L, LA, LR, list):
    for b in (P, L, LA, LR, list, int):
        for aug in (False, True):
            for op in "+*":
                x = a([1]); y = b()
                try:
                    if op == "+":
                        if aug: x += y
                        else: x = x + y
                    else:
                        if aug: x *= y
                        else: x = x * y
                    print(a.__name__, b.__name__, aug, op, x)
                except Exception as e:
                    print(a.__name__, b.__name__, aug, op, type(e).__name__, e)

class Index:
    def __index__(self): return 2
for v in ([1], (1,), "a", b"a", bytearray(b"a"), deque([1]), array.array('i',[1])):
    print(type(v).__name__, [n for n in ("__add__","__radd__","__iadd__","__mul__","__rmul__","__imul__","__mod__","__rmod__","__sub__") if hasattr(v,n)])
    for n in ("__add__","__iadd__","__mul__","__rmul__","__imul__"):
        for arg in (2, "x", None, Index(), 1.5, [3], True, 10**30):
            w = v.copy() if hasattr(v, "copy") else v[:]
            try: r = getattr(w, n)(arg); print(n, repr(arg)[:5], r)
            except Exception as e: print(n, repr(arg)[:5], type(e).__name__, e)
    x = Index()
    try:
        x *= v; print(x)
    except Exception as e: print(type(e).__name__, e)
    x = 3
    try:
        x *= v; print(x)
    except Exception as e: print(type(e).__name__, e)
    for o in (2, "x", None, 1.5, [3], 10**30):
        w = v
        for f in (lambda: v*o, lambda: o*v, lambda: v+o, lambda: o+v):
            try: print(f())
            except Exception as e: print(type(e).__name__, e)
        try:
            w += o; print(w)
        except Exception as e: print(type(e).__name__, e)
        try:
            w *= o; print(w)
        except Exception as e: print(type(e).__name__, e)
class S(str): pass
class T(tuple):
    def __mul__(self, o): return NotImplemented
    def __add__(self, o): return NotImplemented
class U(list):
    def __imul__(self, o): return NotImplemented
    def __iadd__(self, o): return NotImplemented
for a in (S("a"), T((1,)), U([1])):
    for o in (2, "x", [1], (1,), S("b"), T((2,)), U([3])):
        for f in (lambda: a*o, lambda: o*a, lambda: a+o, lambda: o+a):
            try: print(f())
            except Exception as e: print(type(e).__name__, e)
        w = a
        try:
            w += o; print(w)
        except Exception as e: print(type(e).__name__, e)
        w = a
        try:
            w *= o; print(w)
        except Exception as e: print(type(e).__name__, e)
d = deque([1, 2], 5)
e = d
e *= 2
print(d, d is e)
d *= Index()
print(d, d is e)
e *= -1
print(d, d is e)
a = array.array("i", [1, 2])
b = a
b *= 3
print(a, a is b)
b *= False
print(a, a is b)
for f in (lambda: a * 10**12 and None, lambda: array.array("q", [1]) * 2**62):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
for v in (deque([1]), iter(deque()), itertools.chain(), itertools.islice([], 1), threading.Lock(), threading.RLock(), weakref.ref(set), array.array("i"), iter(array.array("i")), sys.stdout):
    for f in (lambda: v + 1, lambda: -v, lambda: v(1, 2, 3), lambda: v.zork, lambda: [][v], lambda: "".join([v])):
        try: print(f())
        except Exception as e: print(type(e).__name__, e)
print(repr(deque([1])), deque.append, deque.append.__qualname__, repr(deque([1]).append)[:40], itertools.chain.__name__, deque.__name__)
try: deque.append()
except TypeError as e: print(e)
try: deque.append([], 1)
except TypeError as e: print(e)
try: deque([1]).append()
except TypeError as e: print(e)
class D(deque): pass
try: D() + 1
except TypeError as e: print(e)
try: -D()
except TypeError as e: print(e)
for f in (lambda: b"".decode("zork"), lambda: str(b"", "zork"), lambda: {}.pop([], 5), lambda: {}.pop([]), lambda: {1: 2}.pop([], 5)):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
