# weakref: references, callbacks, hashing, containers, finalize, WeakMethod, proxy.
import gc
import weakref
from weakref import ref, WeakValueDictionary, WeakKeyDictionary, WeakSet, WeakMethod, finalize, proxy


class Thing:
    def __init__(self, name="t"):
        self.name = name

    def method(self):
        return "called " + self.name

    def __repr__(self):
        return "Thing(%r)" % self.name


def references():
    t = Thing()
    r = ref(t)
    print(r() is t, ref(t) is r, weakref.getweakrefcount(t), weakref.getweakrefs(t) == [r], r.__callback__)
    with_callback = ref(t, lambda r: None)
    print(with_callback is r, with_callback == r, hash(r) == hash(t), callable(with_callback.__callback__))
    print(weakref.getweakrefcount(t), type(r) is weakref.ReferenceType, isinstance(r, weakref.ref))
    del t
    print(r(), with_callback(), with_callback.__callback__, r == r, r == with_callback, "dead" in repr(r))
    for bad in (5, "text", (), [], {}, None, 1.5):
        try:
            ref(bad)
        except TypeError as error:
            print("TypeError:", error)
    for good in (Thing, len, references, {1}, frozenset(), (x for x in ())):
        try:
            print(ref(good)() is good)
        except TypeError as error:
            print("TypeError:", error)
    t = Thing()
    print(ref(t.method)() is None)


def hashes():
    a, b = Thing("a"), Thing("b")
    ra, rb = ref(a), ref(b)
    print(ra == rb, {ra: 1}[ref(a)])
    hash(ra)
    del a, b
    print(isinstance(hash(ra), int))
    try:
        hash(rb)
    except TypeError as error:
        print("TypeError:", error)

    class Equal:
        def __init__(self, n):
            self.n = n

        def __eq__(self, other):
            return self.n == other.n

        def __hash__(self):
            return hash(self.n)

    x, y = Equal(1), Equal(1)
    print(ref(x) == ref(y), ref(x) != ref(y), hash(ref(x)) == hash(ref(y)))


def callbacks():
    told = []
    t = Thing()
    kept = [ref(t, lambda r, i=i: told.append((i, r() is None))) for i in range(3)]
    gone = ref(t, lambda r: told.append("never"))
    del gone, t
    print(told)
    told.clear()
    t = Thing()
    t.me = t
    r = ref(t, lambda r: told.append("collected"))
    del t
    print(told, r() is not None)
    gc.collect()
    print(told, r())
    # A callback that is part of the garbage is not called.
    t = Thing()
    t.me = t
    t.ref = ref(t, lambda r: told.append("inside"))
    del t
    gc.collect()
    print(told)


def values():
    d = WeakValueDictionary()
    a, b = Thing("a"), Thing("b")
    d["a"] = a
    d["b"] = b
    print(len(d), sorted(d), sorted(d.items(), key=str), d["a"], d.get("x"), "a" in d, "x" in d)
    del a
    print(len(d), list(d), "a" in d, d.get("a", "none"))
    try:
        d["a"]
    except KeyError as error:
        print("KeyError:", error)
    c = Thing("c")
    print(d.setdefault("c", c) is c, d.setdefault("c", b) is c, d.pop("c") is c, d.pop("c", 5))
    d.update({"d": b})
    print(sorted(d.keys()), [v.name for v in d.values()], sorted(d.copy()))
    # Deaths while it is walked.
    things = [Thing(i) for i in range(10)]
    d = WeakValueDictionary(enumerate(things))
    seen = 0
    for key in d:
        seen += 1
        if things:
            things.pop()
    print(5 <= seen <= 10, len(d) < 10)


def keys():
    d = WeakKeyDictionary()
    a, b = Thing("a"), Thing("b")
    d[a] = 1
    d[b] = 2
    print(len(d), d[a], a in d, Thing() in d, 5 in d, sorted(d.values()), sorted(k.name for k in d))
    del a
    print(len(d), [k.name for k in d.keys()], d.get(b), d.pop(b), len(d))


def sets():
    s = WeakSet()
    a, b = Thing("a"), Thing("b")
    s.add(a)
    s.add(b)
    s.add(a)
    print(len(s), a in s, Thing() in s, sorted(t.name for t in s))
    del b
    print(len(s))
    s.discard(a)
    try:
        s.remove(a)
    except KeyError:
        print("KeyError", len(s))
    s.update([a])
    print([t.name for t in s | WeakSet()], s == WeakSet([a]), s.pop() is a, len(s))


def finalizers():
    told = []
    t = Thing()
    first = finalize(t, told.append, "first")
    second = finalize(t, lambda a, b=0: told.append((a, b)) or "result", 1, b=2)
    print(first.alive, second.alive, second(), second.alive, second())
    third = finalize(t, told.append, "third")
    print(first.peek()[2:], third.detach() is not None, third.alive)
    fourth = finalize(t, told.append, "fourth")
    del t
    print(told, first.alive, first.peek(), first.detach())
    e = finalize(Thing, print, "at exit")
    print(e.atexit)
    e2 = finalize(Thing, print, "not at exit")
    e2.atexit = False


def methods():
    t = Thing("m")
    told = []
    m = WeakMethod(t.method, lambda r: told.append(r() is None))
    print(m()(), m == WeakMethod(t.method), m() == t.method)
    del t
    print(m(), told)
    try:
        WeakMethod(len)
    except TypeError:
        print("TypeError")


def proxies():
    t = Thing("p")
    p = proxy(t)
    print(p.name, p.method(), str(p))
    p.name = "q"
    print(t.name)
    told = []
    p2 = proxy(t, lambda p: told.append("gone"))
    del t
    print(told)
    try:
        p.name
    except ReferenceError as error:
        print("ReferenceError:", error)
    data = proxy(WeakSet())


for test in (references, hashes, callbacks, values, keys, sets, finalizers, methods, proxies):
    print("--", test.__name__)
    test()
