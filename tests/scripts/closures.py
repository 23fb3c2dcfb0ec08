# Closures, nonlocal, global, scoping.
def counter():
    n = 0

    def inc(by=1):
        nonlocal n
        n += by
        return n

    def get():
        return n
    return inc, get


inc, get = counter()
print(inc(), inc(5), get(), counter()[1]())
fs = [lambda: i for i in range(3)]
print([f() for f in fs], [f() for f in [lambda i=i: i for i in range(3)]])


def make():
    out = []
    for j in range(3):
        def f(k=j):
            return j, k
        out.append(f)
    return out


print([f() for f in make()])


def deep(a):
    def b(c):
        def d(e):
            return a, c, e, x
        return d
    x = a * 100
    return b


print(deep(1)(2)(3))
g = 1


def use_global():
    global g, created
    g += 1
    created = "yes"
    return g


print(use_global(), g, created)


def unbound():
    try:
        print(v)
    except UnboundLocalError as e:
        print(e)
    v = 1
    del v
    try:
        print(v)
    except UnboundLocalError as e:
        print(e)
    try:
        del v
    except UnboundLocalError as e:
        print(e)


unbound()


def free_unbound():
    def inner():
        return later
    try:
        inner()
    except NameError as e:
        print(type(e).__name__, e)
    later = 5
    print(inner())
    del later
    try:
        inner()
    except NameError as e:
        print(type(e).__name__, e)


free_unbound()
try:
    nope
except NameError as e:
    print(e)
try:
    del nope
except NameError as e:
    print(e)
x = "module"


class C:
    x = "class"
    seen = x
    listed = [x for _ in range(1)]

    def m(self):
        return x


def shadow(x):
    class D:
        y = x
        x = "local"
        z = x
    return D


print(C.seen, C.listed, C().m())
try:
    shadow("arg")
except NameError as e:
    print(type(e).__name__, e)


def shadow2(v):
    class D:
        y = v

        def get(self):
            return v
    return D


print(shadow2("arg").y, shadow2("q")().get())
print([y for y in range(3)], [[x * y for x in range(2)] for y in range(2)])
try:
    y
except NameError as e:
    print(e)


def walrus():
    if (n := 10) > 5:
        print(n)
    print([last := v for v in range(4)], last)
    while (n := n - 3) > 0:
        print(n, end=" ")
    print(n)
    return any((hit := v) > 2 for v in [1, 2, 3, 4]), hit


print(walrus())
print([(a, b) for a in range(3) if (b := a * 2) != 2], b)


def cellparam(p, q):
    def setp(v):
        nonlocal p
        p = v

    def getp():
        return p, q
    return setp, getp


s, t = cellparam(1, 2)
s(10)
print(t(), t.__closure__[0].cell_contents, len(t.__closure__), counter.__closure__)


def loop_del():
    for i in range(2):
        pass
    print(i)
    del i
    try:
        i
    except UnboundLocalError as e:
        print(e)


loop_del()


def exc_scope():
    e = "before"
    try:
        raise ValueError("v")
    except ValueError as e:
        print("in", e)
    try:
        print(e)
    except UnboundLocalError as err:
        print(err)


exc_scope()


def recursive_closure():
    def even(n):
        return True if n == 0 else odd(n - 1)

    def odd(n):
        return False if n == 0 else even(n - 1)
    return even


print(recursive_closure()(10), recursive_closure()(7))
print(sorted(k for k in globals() if k in ("g", "x", "fs")), "g" in globals(), globals()["g"])


def loc(a, b=2):
    c = a + b
    return sorted(locals().items())


print(loc(1))


def gen_closure(n):
    k = 10
    return sum(i * k * n for i in range(4)), {i: k for i in range(2)}, {k + i for i in range(2)} == {10, 11}


print(gen_closure(2))
