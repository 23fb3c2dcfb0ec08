"""What the collector finds.

Objects that refer to each other in a ring are not freed by reference counts: nobody else
holds them, but each is held by its neighbour.  gc.collect() finds them and says how many
containers it found.  Every line is a kind of ring, with the number of objects in it.

Expected: the numbers found equal the numbers made, and nothing is left over.
"""

import gc
import weakref


class Node:
    __slots__ = ("next", "__weakref__")

    def __init__(self):
        self.next = None


class Tree:
    """Children know their parent, so every tree is full of rings."""

    __slots__ = ("parent", "children", "__weakref__")

    def __init__(self, parent, depth):
        self.parent = parent
        self.children = [Tree(self, depth - 1) for _ in range(2)] if depth else []


def ring(size):
    nodes = [Node() for _ in range(size)]
    for i in range(size):
        nodes[i].next = nodes[i - 1]
    return weakref.ref(nodes[0])


def report(kind, made, found, dead=True):
    print("%-36s made %6d  found %6d  %s" % (kind, made, found, "dead" if dead else "ALIVE"))


def main():
    gc.collect()
    gc.disable()

    weak = ring(1)
    report("an object that refers to itself", 1, gc.collect(), weak() is None)

    weak = ring(2)
    report("a pair", 2, gc.collect(), weak() is None)

    weak = ring(10_000)
    report("a ring of 10,000", 10_000, gc.collect(), weak() is None)

    a = []
    a.append(a)
    del a
    report("a list in itself", 1, gc.collect())

    d = {}
    d["me"] = [d]
    del d
    report("a dict in a list in the dict", 2, gc.collect())

    weak = weakref.ref(Tree(None, 9))
    # 2**10 - 1 trees and as many lists.
    report("a tree with parent links", 2046, gc.collect(), weak() is None)

    # What is held from outside is not found, and what it refers to neither.
    first = Node()
    first.next = Node()
    first.next.next = first
    report("a pair that is still held", 0, gc.collect())
    first = None
    report("the same, given up", 2, gc.collect())

    report("nothing", 0, gc.collect())
    gc.enable()


if __name__ == "__main__":
    main()
