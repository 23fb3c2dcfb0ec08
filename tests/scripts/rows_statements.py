# Statements and expressions, row by row.
a = b = [1]; b.append(2); print(a)
x, (y, *z), w = 1, (2, 3, 4), 5; print(x, y, z, w)
*h, t = "abc"; print(h, t)
[p, q] = 1, 2; print(p, q)
try:
    a1, b1 = 1, 2, 3
except ValueError as e: print(e)
try:
    a1, b1, c1 = 1, 2
except ValueError as e: print(e)
try:
    a1, *b1, c1 = [1]
except ValueError as e: print(e)
try:
    a1, b1 = 5
except TypeError as e: print(e)
for op in ("+=", "-="): pass
n = 17; n += 1; n -= 2; n //= 3; n *= 7; n %= 11; n **= 2; n <<= 2; n >>= 1; n |= 5; n &= 0xff; n ^= 3; n /= 2; print(n)
l = [1, 2, 3]; l[1] += 5; l[0], l[2] = l[2], l[0]; print(l)
class C: v = 1
c = C(); c.v += 1; print(c.v, C.v)
i = 0
while True:
    i += 1
    if i == 3: continue
    if i > 5: break
else: print("never")
print(i)
while i > 0: i -= 1
else: print("else", i)
for k in range(3):
    if k == 9: break
else: print("for else", k)
for i, (a, b) in enumerate([(1, 2), (3, 4)]): print(i, a, b)
for l[0] in range(3): pass
print(l)
for c.v, *r in [(1, 2, 3)]: print(c.v, r)
assert True, "x"
try: assert 0, ("a", 1)
except AssertionError as e: print(e.args, repr(e))
try: assert 0
except AssertionError as e: print(e.args)
class E(Exception): pass
try: raise E
except E as e: print(repr(e))
try: raise E(1, 2) from KeyError("k")
except E as e: print(e, e.__cause__, e.__suppress_context__)
try:
    try: 1/0
    except ZeroDivisionError: raise
except ArithmeticError as e: print("re", e)
try:
    try: 1/0
    except ZeroDivisionError: raise KeyError("x") from None
except KeyError as e: print(e, e.__context__, e.__suppress_context__)
try: raise
except RuntimeError as e: print(e)
try: raise "text"
except TypeError as e: print(e)
try: raise E from 5
except TypeError as e: print(e)
try: raise 5
except TypeError as e: print(e)
def f():
    try: return "try"
    finally: print("finally")
print(f())
def g():
    for i in range(3):
        try: continue
        finally: print("f", i)
    while 1:
        try: break
        finally: print("b")
    try: return 1
    finally: return 2
print(g())
try:
    try: pass
    except: print("no")
    else: print("else"); raise E("x")
    finally: print("fin")
except (KeyError, E) as e: print("got", e)
try: e
except NameError as x: print(x)
try:
    try: 1/0
    except (5): pass
except TypeError as e: print(e)
class M:
    def __init__(s, n): s.n = n
    def __enter__(s): print("enter", s.n); return s.n
    def __exit__(s, *a): print("exit", s.n, a[0]); return s.n == 2
with M(1) as a, M(2) as b: print(a, b); raise KeyError
with (M(1) as a, M(3) as b,): print(a, b)
with M(1): pass
try:
    with 5: pass
except TypeError as e: print(e)
def gl():
    global newg
    newg = 5
gl(); print(newg)
def outer():
    v = 1
    def inner():
        nonlocal v
        v += 1
        return v
    return inner(), inner(), v
print(outer())
del newg
try: newg
except NameError as e: print(e)
def ub():
    print(uu)
    uu = 1
try: ub()
except UnboundLocalError as e: print(e)
def ub2():
    w = 1
    del w
    w
try: ub2()
except UnboundLocalError as e: print(e)
d = {"a": 1, "b": 2}; del d["a"]; l = list(range(10)); del l[0], l[::2]; del c.v; print(d, l)
try: del c.v
except AttributeError as e: print(e)
x: int = 5
y: "str"
print(__annotations__)
def ann(a: int, b: str = "x", *c: float, d: bool = True, **e: dict) -> None: pass
print(ann.__annotations__)
class A:
    p: int = 1
    q: list
print(A.__annotations__)
if (n := 10) > 5: print(n)
print([y := 1, y**2], [m for v in range(3) if (m := v)])
print(1 if 0 else 2, not 1, 1 and 2, 0 or "x", 1 < 2 < 3 != 4)
lam = lambda a, b=2, *c, d, **e: (a, b, c, d, e)
print(lam(1, d=4), lam(1, 2, 3, d=4, z=5))
print([a + b for a in "ab" for b in "cd" if a != b], {k: v for k, v in zip("ab", "cd")}, {v for v in (1, 1)}, list(v for v in "ab"))
print([[y for y in range(x)] for x in range(3)])
print(*[1, 2], *"ab", sep="-", end="!\n")
print({**{"a": 1}, "b": 2, **{"a": 3}}, [*range(2), *"x"], (*[1], 2), {*[1], 1})
def kw(*a, **k): return a, k
print(kw(1, *[2], 3, **{"x": 1}, y=2), kw(*(), **{}))
try: kw(**{1: 2})
except TypeError as e: print(e)
try: kw(x=1, **{"x": 2})
except TypeError as e: print(e)
try: kw(*5)
except TypeError as e: print(e)
try: kw(**5)
except TypeError as e: print(e)
def pos(a, /, b, *, c=3): return a, b, c
print(pos(1, 2), pos(1, b=2, c=4))
for call in (lambda: pos(a=1, b=2), lambda: pos(1), lambda: pos(1, 2, 3), lambda: pos(1, 2, d=1), lambda: pos(1, 2, b=3), lambda: pos(), lambda: lam(1), lambda: ann(), lambda: ub(1)):
    try: call()
    except TypeError as e: print(e)
def dflt(a, l=[]): l.append(a); return l
print(dflt(1), dflt(2))
fs = [lambda: i for i in range(3)]; print([f() for f in fs])
fs = [lambda i=i: i for i in range(3)]; print([f() for f in fs])
print(f"{x!r} {x=} {x:>5} {'a' 'b'} {x:{3}}")
print("a" "b", 1_000, 0x_ff, 1e3, ..., None is None, r"\d", b"\x00")
print(1
      + 2)
s = 'a\
b'; print(s)
if 1: print("one"); print("line")
def rec(n): return 0 if n == 0 else 1 + rec(n - 1)
try: rec(10**6)
except RecursionError as e: print(e)
try: undefined_name
except NameError as e: print(e, e.name)
try: C().nope
except AttributeError as e: print(e, e.name, type(e.obj))
@lambda f: lambda *a: ("deco", f(*a))
def decorated(x): return x
print(decorated(1))
async def co(): return 5
try: co().send(None)
except StopIteration as e: print(e.value)
def gen():
    r = yield 1
    print("got", r)
    try: yield 2
    except KeyError as e: print("threw", e); yield 3
    finally: print("closing")
g = gen(); print(next(g), g.send("x"), g.throw(KeyError("k"))); g.close()
try: next(g)
except StopIteration as e: print(repr(e))
def yf():
    r = yield from gen2()
    print("r", r)
def gen2():
    yield 1
    return "ret"
print(list(yf()))
g = gen()
try: g.send(1)
except TypeError as e: print(e)
def badgen():
    yield 1
    raise StopIteration
try: list(badgen())
except RuntimeError as e: print(e, repr(e.__cause__))
def stub():
    try: yield 1
    except GeneratorExit: yield 2
g = stub(); next(g)
try: g.close()
except RuntimeError as e: print(e)
def selfrun():
    yield next(me)
me = selfrun()
try: next(me)
except ValueError as e: print(e)
print(gen.__name__, g.__name__, g.gi_frame is None, me.gi_running, type(g))
print(dir(5)[:0], callable(len), callable(5), vars(c), globals()["x"], "x" in locals())
