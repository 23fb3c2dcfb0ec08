# The gc module to the letter: order of events in a collection, finalizers once, partial resurrection,
# callbacks, tracking, freezing, referrers and referents, garbage under DEBUG_SAVEALL, bad arguments.
import gc
import weakref

gc.collect()
gc.disable()
log = []


class Node:
    def __init__(self, name):
        self.name = name
        self.others = []

    def __del__(self):
        log.append("del " + self.name)


class Plain:
    pass


def said(what):
    print(what, log)
    log.clear()


# --- Order: start callback, weakrefs cleared, their callbacks, finalizers, stop callback.
def on_gc(phase, info):
    log.append(phase)
    if phase == "stop":
        log.append(info["collected"])
    assert sorted(info) == ["collected", "generation", "uncollectable"], info


def order():
    a = Node("a")
    a.others.append(a)

    class Looker:
        def __init__(self, ref):
            self.ref = ref
            self.me = self

        def __del__(self):
            log.append("looker sees %s" % self.ref())

    plain = weakref.ref(a)
    called = weakref.ref(a, lambda ref: log.append("callback, dead: %s" % (ref() is None and plain() is None)))
    del a
    gc.callbacks.append(on_gc)
    gc.collect()
    gc.callbacks.remove(on_gc)
    events = [e for e in log if not isinstance(e, int)]
    log.clear()
    print(events)
    b = Node("b")
    b.others.append(b)
    b.others.append(Looker(weakref.ref(b)))
    del b
    gc.collect()
    log.sort()
    said("a finalizer sees cleared weakrefs:")
    return called


order()


# --- A weakref that is garbage itself does not call; one to what is resurrected stays dead.
def weak_in_garbage():
    a = Node("w")
    a.others.append(a)
    a.ref = weakref.ref(a, lambda ref: log.append("never"))
    outside = weakref.ref(a, lambda ref: log.append("once"))
    del a
    gc.collect()
    said("callbacks:")
    return outside


weak_in_garbage()

saved = []


class Phoenix(Node):
    def __del__(self):
        log.append("rises " + self.name)
        saved.append(self)


def resurrection():
    a = Phoenix("p")
    a.others.append(a)
    ref = weakref.ref(a)
    del a
    print("found", gc.collect())
    said("resurrected:")
    print("weakref dead:", ref() is None, "finalized:", gc.is_finalized(saved[0]), "tracked:", gc.is_tracked(saved[0]))
    again = weakref.ref(saved[0])
    print("a new weakref lives:", again() is saved[0])
    saved.clear()
    print("found", gc.collect() > 0, again() is None)
    said("no second finalizer:")


resurrection()


def part():
    """Two rings; one refers to the other, whose finalizer saves it alone."""
    a, b, c, d = Node("a"), Node("b"), Phoenix("c"), Node("d")
    a.others += [b]
    b.others += [a, c]
    c.others += [d]
    d.others += [c]
    refs = [weakref.ref(x) for x in (a, b, c, d)]
    del a, b, c, d
    gc.collect()
    log.sort()
    said("all are finalized:")
    print("weakrefs are dead:", [r() is None for r in refs])
    print("alive again:", saved[0].name, saved[0].others[0].name, saved[0].others[0].others[0] is saved[0])
    saved.clear()
    gc.collect()
    said("silent at the second death:")


part()


# --- Errors in finalizers and callbacks do not stop the others. (They are reported on standard error.)
def by_count():
    a = Phoenix("count")
    del a
    said("by count:")
    print(gc.is_finalized(saved[0]))
    saved.clear()
    said("again:")


by_count()


# --- What is tracked, and what is finalized.
print("tracked:", [gc.is_tracked(x) for x in (1, 1.5, "s", b"b", None, True, [], [1], set(), Plain(), Plain, len, order)])
print("finalized:", [gc.is_finalized(x) for x in (1, "s", [], Plain(), Plain)])


# --- Referents and referrers.
class Slots:
    __slots__ = ("x", "y")


s = Slots()
s.x, s.y = ["one"], ("two",)
print("referents:", sorted(str(r) for r in gc.get_referents(s) if not isinstance(r, type)))
print("referents:", sorted(str(r) for r in gc.get_referents([1, 2], {"k": "v"}, (3,))), gc.get_referents(), gc.get_referents(5))
target = Plain()
holders = [[target], {"k": target}, (target, [])]
found = gc.get_referrers(target)
print("referrers:", [any(f is h for f in found) for h in holders], gc.get_referrers(), gc.get_referrers(object()))
print("objects:", [any(o is h for o in gc.get_objects()) for h in holders])
for bad in (lambda: gc.get_objects(5), lambda: gc.get_objects(-1), lambda: gc.get_objects("x"), lambda: gc.get_objects(1.5),
            lambda: gc.collect(3), lambda: gc.collect(-1), lambda: gc.collect("x"), lambda: gc.collect(0, 1),
            lambda: gc.set_threshold(), lambda: gc.set_threshold(1, 2, 3, 4), lambda: gc.set_threshold("x"),
            lambda: gc.set_debug("x"), lambda: gc.set_debug(), lambda: gc.is_tracked(), lambda: gc.is_finalized(1, 2),
            lambda: gc.enable(1), lambda: gc.get_count(1), lambda: gc.freeze(1)):
    try:
        bad()
        print("accepted")
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error if isinstance(error, ValueError) else "")

# --- Thresholds, counts, stats.
old = gc.get_threshold()
print(old)
gc.set_threshold(123)
print(gc.get_threshold())
gc.set_threshold(1, 2, 3)
print(gc.get_threshold())
gc.set_threshold(*old)
before = gc.get_stats()
for generation in (0, 1, 2, 2):
    gc.collect(generation)
after = gc.get_stats()
print([a["collections"] - b["collections"] for a, b in zip(after, before)], len(after))


def ring():
    a = Plain()
    a.me = a


def stats_of_a_ring():
    before = gc.get_stats()[2]
    for _ in range(7):
        ring()
    found = gc.collect()
    after = gc.get_stats()[2]
    return found, after["collected"] - before["collected"], after["uncollectable"] - before["uncollectable"]


print(stats_of_a_ring())

# --- Freeze.
print(gc.get_freeze_count())
frozen = [Plain()]
ring()
gc.freeze()
count = gc.get_freeze_count()
print(count > 100, gc.collect(), gc.is_tracked(frozen))
ring()
print(gc.collect(), gc.get_freeze_count() == count)
gc.unfreeze()
print(gc.get_freeze_count(), gc.collect())

# --- Garbage under DEBUG_SAVEALL.
print(gc.get_debug(), gc.DEBUG_STATS, gc.DEBUG_COLLECTABLE, gc.DEBUG_UNCOLLECTABLE, gc.DEBUG_SAVEALL, gc.DEBUG_LEAK)
gc.set_debug(gc.DEBUG_SAVEALL)
print(gc.get_debug())


def saveall():
    a = Node("saved")
    a.others.append(a)
    return weakref.ref(a)


ref = saveall()
before = gc.get_stats()[2]
found = gc.collect()
after = gc.get_stats()[2]
print(found, after["collected"] - before["collected"], after["uncollectable"] - before["uncollectable"])
said("finalized:")
print(sorted(type(g).__name__ for g in gc.garbage), ref() is None)
kept = [g for g in gc.garbage if isinstance(g, Node)][0]
print(kept.name, kept.others[0] is kept)
gc.set_debug(0)
gc.garbage.clear()
del kept
print(gc.collect() > 0, gc.garbage, log)

# --- A collection from inside a collection does nothing.
inner = []


class Nested:
    def __init__(self):
        self.me = self

    def __del__(self):
        inner.append(gc.collect())


Nested()
gc.collect()
print("inner:", inner)

# --- A callback that changes the list of callbacks.
heard = []


def once(phase, info):
    heard.append("once " + phase)
    gc.callbacks.remove(once)


def adds(phase, info):
    heard.append("adds " + phase)
    if phase == "start":
        gc.callbacks.append(late)


def late(phase, info):
    heard.append("late " + phase)


gc.callbacks.extend([once, adds])
gc.collect()
print(heard)
gc.callbacks.clear()
print(gc.collect(), gc.callbacks)
gc.enable()
print(gc.isenabled())

# --- What the debug flags print on standard error, without figures that differ.
import subprocess
import sys

CHILD = """
import gc
class Thing:
    pass
def ring():
    a = Thing()
    a.me = [a]
gc.collect()
gc.set_debug(%s)
ring()
gc.collect()
gc.set_debug(0)
gc.garbage.clear()
gc.collect()
"""


def plain(line):
    """Without addresses, counts of objects and times."""
    if " 0x" in line:
        return line[:line.index(" 0x")] + " ...>"
    if line.startswith("gc: objects in"):
        return line[:line.index(":", 4)] + ": ..."
    if line.endswith("s elapsed"):
        return line[:line.rindex(",")] + ", ..."
    return line


for flags in ("0", "gc.DEBUG_STATS", "gc.DEBUG_COLLECTABLE", "gc.DEBUG_UNCOLLECTABLE", "gc.DEBUG_LEAK"):
    done = subprocess.run([sys.executable, "-c", CHILD % flags], capture_output=True, text=True)
    lines = [plain(line) for line in done.stderr.splitlines()]
    print(flags, done.returncode, sorted(lines) if "STATS" not in flags else lines, repr(done.stdout))
