# Weak references: sharing, callbacks and their order, equality, hashing, what can be referred to.
import weakref


class O:
    def __init__(self, n=0):
        self.n = n

    def __eq__(self, other):
        return self.n == other.n

    def __hash__(self):
        return hash(self.n)

    def m(self):
        return "m"


class Plain:
    pass


o = O(1)
a, b = weakref.ref(o), weakref.ref(o)
c = weakref.ref(o, print)
d = weakref.ref(o, print)
print(a is b, a is c, c is d, a() is o, weakref.getweakrefcount(o), a in weakref.getweakrefs(o), a.__callback__, c.__callback__ is print)
c = d = None
print(weakref.getweakrefcount(o))
o2 = O(1)
e = weakref.ref(o2)
print(a == e, a != e, hash(a) == hash(e), a == 5, hash(a) == hash(o))
del o, o2
print(a(), e(), a == e, a == a, hash(a) == hash(1))
p = Plain()
never = weakref.ref(p)
del p
try:
    hash(never)
except TypeError as err:
    print(err)
log = []
p = Plain()
refs = [weakref.ref(p, lambda r, i=i: log.append((i, r() is None))) for i in range(4)]
del refs[1]
del p
print(log, refs[0].__callback__)
log.clear()
p = Plain()
weakref.ref(p, lambda r: log.append("lost ref never calls"))
del p
print(log)


def f():
    pass


def g():
    yield 1


gen = g()


class L(list):
    pass


class D(dict):
    pass


for ok in (f, O, {1}, frozenset({1, 2}), gen, L(), D(), Plain(), lambda: 0):
    r = weakref.ref(ok)
    print(type(ok).__name__, r() is ok, end="; ")
print()
for bad in (1, "s", (), [], {}, None, 1.5, b"b", True, object()):
    try:
        weakref.ref(bad)
        print("no error", type(bad))
    except TypeError as err:
        print(err)
x = Plain()
x.m = 1
meth = weakref.ref(O(5).m)
print(meth())
wd = weakref.WeakValueDictionary()
k1, k2 = O(10), O(20)
wd["a"], wd["b"] = k1, k2
print(len(wd), wd["a"] is k1, "a" in wd, sorted(wd), wd.get("zz", "none"), sorted(v.n for v in wd.values()))
del k1
print(len(wd), "a" in wd, sorted(wd.keys()))
wk = weakref.WeakKeyDictionary()
wk[k2] = "v"
print(len(wk), wk[k2], k2 in wk)
ws = weakref.WeakSet([k2])
print(len(ws), k2 in ws)
del k2
print(len(wd), len(wk), len(ws), list(ws))
done = []
q = Plain()
fin = weakref.finalize(q, done.append, "finalized")
fin2 = weakref.finalize(q, done.append, "second")
print(fin.alive, done)
del q
print(fin.alive, done, fin())
q = Plain()
fin = weakref.finalize(q, lambda: "result")
print(fin(), fin(), fin.alive)
fin = weakref.finalize(q, done.append, "never")
print(fin.detach() is not None, fin.alive)
del q
print(done)
p = Plain()
pr = weakref.proxy(p)
p.v = 5
print(pr.v, isinstance(pr, weakref.ProxyType))
pr.w = 6
print(p.w)
del p
try:
    pr.v
except ReferenceError as err:
    print(err)
cached = {}


def get(n):
    r = cached.get(n)
    v = r() if r is not None else None
    if v is None:
        v = O(n)
        cached[n] = weakref.ref(v, lambda _: cached.pop(n))
    return v


v = get(1)
print(get(1) is v, len(cached))
get(2)
print(len(cached))
del v
print(len(cached))
print(isinstance(a, weakref.ref), isinstance(a, weakref.ReferenceType), type(a).__name__, callable(a))


class Sub(weakref.ref):
    pass


p = Plain()
s = Sub(p)
print(s() is p, type(s).__name__)
