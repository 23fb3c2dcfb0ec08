# gc-stress: no
# Collection of cycles: counts for exact structures, what is reachable, weakrefs, generations.
import gc
import weakref

gc.disable()
gc.collect()


class S:
    __slots__ = ("a", "b", "__weakref__")


def cycle_lists():
    a, b = [], []
    a.append(b)
    b.append(a)


def cycle_dict():
    d = {}
    d["self"] = d


def cycle_slots():
    x, y = S(), S()
    x.a, y.a = y, x


def cycle_tuple():
    l = []
    t = (l,)
    l.append(t)


for f in (cycle_lists, cycle_dict, cycle_slots, cycle_tuple):
    f()
    print(f.__name__, gc.collect())
print(gc.collect())


def self_list():
    l = []
    l.append(l)


for _ in range(50):
    self_list()
print(gc.collect())
s = S()
s.a = s
s.b = [s, {"k": s}]
r = weakref.ref(s)
del s
print(r() is not None, gc.collect(), r())
keep = S()
keep.a = S()
keep.a.a = keep
w = weakref.ref(keep.a)
print(gc.collect(), w() is keep.a)
keep = None
print(gc.collect(), w())
calls = []
t = S()
t.a = t
wt = weakref.ref(t, lambda ref: calls.append(ref() is None))
del t
gc.collect()
print(calls)
o = S()
o.a = o
o.b = weakref.ref(o, lambda ref: calls.append("inside trash"))
del o
gc.collect()
print(calls)


class WithInit:
    def __init__(self):
        self.me = self
        self.method = self.run
        self.fn = lambda: self

    def run(self):
        return self


w = weakref.ref(WithInit())
print(w() is not None)
gc.collect()
print(w())


def closure_cycle():
    def f():
        return f
    return weakref.ref(f)


w = closure_cycle()
gc.collect()
print(w())


def generator_cycle():
    holder = S()

    def g():
        yield holder
    holder.a = g()
    next(holder.a)
    return weakref.ref(holder)


w = generator_cycle()
gc.collect()
print(w())


def exception_cycle():
    o = S()
    w = weakref.ref(o)
    try:
        raise ValueError("v")
    except ValueError as e:
        saved = e
    return w


w = exception_cycle()
gc.collect()
print(w())


def class_cycle():
    class Local:
        pass
    Local.inst = Local()
    return weakref.ref(Local)


w = class_cycle()
gc.collect()
print(w())
g = []
g.append(g)
x = S()
g.append(x)
wx = weakref.ref(x)
del g
print(wx() is x, gc.collect() >= 1, wx() is x)
del x
print(wx())
for args in ((0,), (1,), (2,), ()):
    self_list()
    print(gc.collect(*args))
for bad in ((3,), (-1,), ("x",)):
    try:
        gc.collect(*bad)
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
print(gc.isenabled())
gc.enable()
print(gc.isenabled())
old = gc.get_threshold()
gc.set_threshold(500, 5, 5)
print(gc.get_threshold(), len(gc.get_count()), len(gc.get_stats()), sorted(gc.get_stats()[0]))
n = [0]


class Counted:
    def __init__(self):
        self.me = self

    def __del__(self):
        n[0] += 1


for _ in range(20000):
    Counted()
print(n[0] > 10000)
gc.collect()
print(n[0])
gc.set_threshold(*old)
print(gc.garbage, gc.is_tracked([]), gc.is_tracked(5), gc.is_tracked("a"), gc.is_tracked(S()), gc.get_referents(["x"]))
target = S()
holder = [target]
print(any(h is holder for h in gc.get_referrers(target)), any(q is holder for q in gc.get_objects()))
events = []


def on_gc(phase, info):
    events.append((phase, sorted(info)))


gc.callbacks.append(on_gc)
gc.collect()
gc.callbacks.remove(on_gc)
print(events)
gc.freeze()
print(gc.get_freeze_count() > 0)
gc.unfreeze()
print(gc.get_freeze_count())
