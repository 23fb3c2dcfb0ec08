# gc: counts, switches, thresholds, callbacks, garbage, introspection, freeze.
import gc
import weakref

gc.collect()
gc.disable()


class Node:
    __slots__ = ("next", "__weakref__")

    def __init__(self):
        self.next = self


def make(n):
    for _ in range(n):
        Node()


def switches():
    print(gc.isenabled())
    gc.enable()
    print(gc.isenabled())
    gc.disable()
    old = gc.get_threshold()
    print(len(old), all(isinstance(x, int) for x in old))
    gc.set_threshold(500, 5, 0)
    print(gc.get_threshold())
    gc.set_threshold(0)
    print(gc.get_threshold()[0])
    gc.set_threshold(*old)
    print(len(gc.get_count()), len(gc.get_stats()), sorted(gc.get_stats()[0]))


def counts():
    # What a generator expression leaves behind may wait for a collection.
    gc.collect()
    make(10)
    print(gc.collect(), gc.collect())
    make(5)
    print(gc.collect(2), gc.collect(generation=0))
    for bad in (3, -1):
        try:
            gc.collect(bad)
        except ValueError as error:
            print("ValueError:", error)
    before = gc.get_stats()[2]
    make(7)
    gc.collect()
    after = gc.get_stats()[2]
    print(after["collections"] - before["collections"], after["collected"] - before["collected"])


def callbacks():
    told = []

    def tell(phase, info):
        told.append((phase, info["generation"], info["collected"] if phase == "stop" else "", info["uncollectable"]))

    gc.callbacks.append(tell)
    make(4)
    gc.collect()
    gc.callbacks.remove(tell)
    gc.collect()
    print(told)


def save_all():
    gc.set_debug(gc.DEBUG_SAVEALL)
    print(gc.get_debug() == gc.DEBUG_SAVEALL)
    make(3)
    print(gc.collect(), len(gc.garbage), all(type(x) is Node for x in gc.garbage))
    gc.set_debug(0)
    gc.garbage.clear()
    print(gc.collect(), len(gc.garbage))


def introspection():
    inner = [1]
    outer = [inner]
    print(any(x is outer for x in gc.get_referrers(inner)), gc.get_referents(outer) == [inner])
    print(any(x is outer for x in gc.get_objects()))
    print([gc.is_tracked(x) for x in ([], set(), Node(), 5, "s", 1.5, b"x", None, True, counts, Node)])

    class Dying:
        def __del__(self):
            Dying.saved = self

    d = Dying()
    print(gc.is_finalized(d))
    del d
    print(gc.is_finalized(Dying.saved))


def frozen():
    gc.collect()
    n = gc.get_freeze_count()
    make(6)
    gc.freeze()
    print(gc.get_freeze_count() > n, gc.collect())
    make(2)
    print(gc.collect())
    gc.unfreeze()
    print(gc.get_freeze_count(), gc.collect() >= 6)


def nested():
    told = []

    class Collects:
        def __init__(self):
            self.me = self

        def __del__(self):
            told.append(gc.collect())

    Collects()
    gc.collect()
    print(told)


def weak():
    told = []
    n = Node()
    r = weakref.ref(n, lambda r: told.append(r()))
    del n
    print(r() is None)
    gc.collect()
    print(r(), told)


for test in (switches, counts, callbacks, save_all, introspection, frozen, nested, weak):
    print("--", test.__name__)
    test()
