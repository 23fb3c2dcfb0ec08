"""Finalizers: code that runs when an object dies.

Shows that __del__ runs at the last drop, in the middle of nothing else; that in a ring all
finalizers run before anything is torn down; that an object may come back to life, once; that
a finalizer runs only once; and that the last drop on a foreign thread is no different.

Expected: the lines below, the same in every run.
"""

import gc
import threading

told = []


class Speaker:
    def __init__(self, name):
        self.name = name
        self.peer = None

    def __del__(self):
        told.append(self.name)


class Witness:
    """Looks at its neighbour when it dies."""

    def __init__(self, name):
        self.name = name
        self.peer = None

    def __del__(self):
        told.append("%s still sees %s" % (self.name, self.peer.name))


class Phoenix:
    saved = []

    def __init__(self, name):
        self.name = name

    def __del__(self):
        told.append(self.name + " dies")
        Phoenix.saved.append(self)


def say(what):
    print("%-40s %s" % (what, "; ".join(sorted(told)) or "-"))
    told.clear()


def by_count():
    a = Speaker("a")
    b = a
    del a
    say("one of two references dropped")
    del b
    say("the other one")

    owner = Speaker("owner")
    owner.peer = Speaker("owned")
    del owner
    print("%-40s %s" % ("owner before owned", "; ".join(told)))
    told.clear()


def by_collection():
    x, y = Witness("x"), Witness("y")
    x.peer, y.peer = y, x
    del x, y
    say("a ring is dropped")
    gc.collect()
    say("and collected")


def resurrection():
    p = Phoenix("phoenix")
    del p
    say("dropped")
    print("%-40s %s" % ("but alive again:", Phoenix.saved[0].name))
    Phoenix.saved.clear()
    say("the second time it dies silently")


def errors():
    class Careless:
        def __del__(self):
            told.append("started")
            try:
                raise ValueError("in a finalizer")
            except ValueError as error:
                told.append(str(error))

    Careless()
    say("a temporary dies at the end of its line")


def other_threads():
    things = [Speaker("t%d" % i) for i in range(4)]

    def drop():
        while things:
            things.pop()

    thread = threading.Thread(target=drop)
    thread.start()
    thread.join()
    gc.collect()
    say("dropped by another thread")


by_count()
by_collection()
resurrection()
errors()
other_threads()
