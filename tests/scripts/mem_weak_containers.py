# Weak dictionaries, sets and finalizers: what they hold, deaths while they are looked at.
import gc
import weakref

gc.disable()


class K:
    def __init__(self, n):
        self.n = n

    def __repr__(self):
        return "K%d" % self.n

    def __eq__(self, other):
        return isinstance(other, K) and self.n == other.n

    def __hash__(self):
        return self.n


values = weakref.WeakValueDictionary()
keep = [K(i) for i in range(6)]
for k in keep:
    values[k.n] = k
print(len(values), sorted(values), values[3], values.get(9), 3 in values)
del keep[3], k
print(len(values), sorted(values), 3 in values)
print(sorted(v.n for v in values.values()), sorted((a, b.n) for a, b in values.items()))
print(values.pop(0), values.setdefault(0, keep[0]) is keep[0], sorted(values.keys()))
for n in list(values):
    if n % 2:
        keep[:] = [k for k in keep if k.n != n]
k = None
print(sorted(values))
copy = values.copy()
keep.clear()
print(len(values), len(copy), sorted(copy))
try:
    values[0]
except KeyError as e:
    print("KeyError", e)

keys = weakref.WeakKeyDictionary()
a, b = K(1), K(2)
keys[a] = "one"
keys[b] = [b.n]
print(len(keys), keys[a], keys[K(1)], a in keys, K(7) in keys, sorted(k.n for k in keys))
del a
print(len(keys), sorted(keys.values()))
keys[b] = keys  # a cycle through the value
del b
gc.collect()
print(len(keys))

ws = weakref.WeakSet()
items = [K(i) for i in range(5)]
for i in items:
    ws.add(i)
del i
print(len(ws), items[2] in ws, K(2) in ws, sorted(x.n for x in ws))
ws.discard(items[0])
ws.remove(items[1])
try:
    ws.remove(items[1])
except KeyError:
    print("not there")
print(sorted(x.n for x in ws))
other = weakref.WeakSet(items)
print(sorted(x.n for x in ws | other), sorted(x.n for x in ws & other), sorted(x.n for x in other - ws), ws <= other)
del items[2:]
gc.collect()
print(len(ws), len(other))

# finalize: once, with arguments, newest first; alive, peek, detach.
out = []
o = K(5)
f = weakref.finalize(o, out.append, "first")
g = weakref.finalize(o, out.append, "second")
h = weakref.finalize(o, out.append, "detached")
print(f.alive, f.peek()[2], h.detach()[2], h.alive)
del o
print(out, f.alive, f(), g())
o = K(6)
f = weakref.finalize(o, lambda a, b=0: out.append(a + b) or "result", 1, b=2)
print(f(), f(), out, f.alive)
del o
print(out)

# References: one per object without a callback, equal while alive, hashed once.
o, p = K(1), K(1)
r, s, t = weakref.ref(o), weakref.ref(o), weakref.ref(p)
print(r is s, r == t, hash(r) == hash(o), r() is o)
c = weakref.ref(o, lambda ref: out.append("callback"))
print(c is r, c == r, weakref.getweakrefcount(o), r.__callback__ is None)
del o
print(out, r(), r == t, r == r, hash(r), c.__callback__)
q = weakref.ref(p)
del p
try:
    hash(weakref.ref(K(3)))
except TypeError as e:
    print(e)
for bad in (1, "text", (1,), [1], {}, None):
    try:
        weakref.ref(bad)
    except TypeError as e:
        print(e)
m = K(8)
meth = weakref.WeakMethod(m.__repr__)
print(meth()())
del m
print(meth())
proxied = K(4)
px = weakref.proxy(proxied)
print(px.n, px == K(4))
del proxied
try:
    px.n
except ReferenceError as e:
    print(e)
