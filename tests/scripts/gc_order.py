# The order of weakref callbacks and finalizers of garbage, and what code that a collection
# runs may do: callbacks newest first, in cycles too; every weak reference to garbage is dead
# before the first callback or finalizer runs; one that raises or collects stops nothing.
import gc
import weakref

gc.disable()
log = []


def show(title):
    print(title, log)
    log.clear()


class Node:
    def __init__(self, name):
        self.name = name
        self.me = self


def watch(node, name):
    return weakref.ref(node, lambda ref: log.append(name))


lone = Node("lone")
lone.me = None
refs = [watch(lone, i) for i in range(4)]
del lone
show("by count:")

ring = Node("ring")
refs = [watch(ring, i) for i in range(4)]
del ring
gc.collect()
show("in a cycle:")

inner = Node("inner")
inner.ref = watch(inner, "never")
del inner
gc.collect()
show("weakref is garbage too:")


class Final(Node):
    def __del__(self):
        log.append((self.name, seen() is None))


final = Final("final")
seen = watch(final, "callback")
del final
gc.collect()
show("callback, then finalizer:")

a, b = Node("a"), Node("b")
to_a = weakref.ref(a, lambda ref: log.append(("a", to_b() is None)))
to_b = weakref.ref(b, lambda ref: log.append(("b", to_a() is None)))
del a, b
gc.collect()
log.sort()
show("both dead before either callback:")

kept = []


class Saver(Node):
    def __del__(self):
        if self.name == "saver":
            kept.append(self.other)


a, b = Saver("saver"), Saver("saved")
a.other, b.other = b, a
dead = weakref.ref(b)
del a, b
gc.collect()
print("saved:", kept[0].name, kept[0].other.name, dead() is None, gc.is_finalized(kept[0]))
again = weakref.ref(kept[0])
print("weakref after:", again() is kept[0])
kept.clear()
gc.collect()
print("dies in the end:", again() is None, kept)


def collect_inside(phase, info):
    if phase == "start":
        log.append(gc.collect())


gc.callbacks.append(collect_inside)
gc.collect()
gc.callbacks.remove(collect_inside)
print("collect inside:", set(log))
log.clear()


def suspended():
    try:
        yield
    finally:
        log.append("closed")


generator = suspended()
next(generator)
box = [generator]
box.append(box)
del generator, box
gc.collect()
show("generator:")

gc.freeze()
frozen = Node("made after")
probe = weakref.ref(frozen)
del frozen
gc.collect()
print("after freeze:", probe() is None)
gc.unfreeze()
print("unfrozen:", gc.get_freeze_count())
