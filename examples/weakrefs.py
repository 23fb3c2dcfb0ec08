"""Weak references: looking at an object without keeping it.

Shows when a reference dies (with the last strong one, or in a collection), in what order
callbacks run, containers that forget, and that a thread that turns a weak reference into a
strong one gets the whole object or None, never a dying one.

Expected: the lines below, the same in every run.
"""

import gc
import threading
import weakref


class Thing:
    def __init__(self, name):
        self.name = name
        self.alive = True
        self.other = None

    def __repr__(self):
        return "Thing(%r)" % self.name


def basics():
    thing = Thing("a")
    weak = weakref.ref(thing)
    print("alive:", weak(), weak() is thing, weakref.getweakrefcount(thing))
    print("one reference without callback is enough:", weakref.ref(thing) is weak)
    thing = None
    print("dead at once:", weak())

    thing = Thing("b")
    thing.other = thing
    weak = weakref.ref(thing)
    thing = None
    print("a cycle lives on:", weak())
    gc.collect()
    print("until it is collected:", weak())


def callbacks():
    told = []
    thing = Thing("c")
    kept = [weakref.ref(thing, lambda ref, i=i: told.append(i)) for i in range(4)]
    del kept[1]
    thing = None
    print("callbacks, newest first, of references that still exist:", told)


def containers():
    cache = weakref.WeakValueDictionary()
    users = weakref.WeakSet()
    notes = weakref.WeakKeyDictionary()
    things = [Thing(str(i)) for i in range(5)]
    for thing in things:
        cache[thing.name] = thing
        users.add(thing)
        notes[thing] = "note on " + thing.name
    thing = None
    print("entries:", len(cache), len(users), len(notes))
    del things[1:4]
    print("left:", sorted(cache), sorted(t.name for t in users), sorted(notes.values()))
    things.clear()
    print("none:", len(cache), len(users), len(notes))


def finalizers():
    told = []
    thing = Thing("d")
    final = weakref.finalize(thing, told.append, "gone")
    print("finalizer is alive:", final.alive)
    thing = None
    print("called once:", told, final.alive, final())


def threads():
    """Two threads promote weak references while a third drops the objects."""
    things = [Thing(str(i)) for i in range(2000)]
    weak = [weakref.ref(thing) for thing in things]
    start = threading.Barrier(3)
    wrong = []

    def look():
        start.wait()
        for ref in weak:
            thing = ref()
            if thing is not None and not thing.alive:
                wrong.append(thing)

    def drop():
        start.wait()
        while things:
            things.pop()

    workers = [threading.Thread(target=f) for f in (look, look, drop)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print("dying objects seen:", len(wrong))
    print("references left:", sum(ref() is not None for ref in weak))


basics()
callbacks()
containers()
finalizers()
threads()
