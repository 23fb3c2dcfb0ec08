# args: 1 2 6
"""Threads that build trees with parent links and drop them: garbage from six threads.

usage: trees.py [seed [rounds [threads]]]

Every tree is full of rings, since children know their parent, so each one dropped waits for
a collection. A collection stops all threads; while it runs nobody builds. How often a policy
collects, and how it cuts the pauses, decides how long the program takes:

  tools/policy_lab --real examples/trees.py

Expected: the number of nodes, which depends on the arguments only.
"""

import random
import sys
import threading


class Tree:
    __slots__ = ("parent", "children")

    def __init__(self, parent, depth, rng):
        self.parent = parent
        self.children = [Tree(self, depth - 1, rng) for _ in range(rng.randrange(1, 4))] if depth else []

    def count(self):
        return 1 + sum([child.count() for child in self.children])


def build(number, seed, rounds, counts):
    rng = random.Random(seed * 1000 + number)
    total = 0
    kept = None
    for _ in range(rounds):
        tree = Tree(None, 9, rng)
        total += tree.count()
        if rng.random() < 0.3:
            kept = tree
    counts[number] = total if kept is None or kept.parent is None else -1


def main(seed=1, rounds=20, threads=6):
    counts = [0] * threads
    workers = [threading.Thread(target=build, args=(n, seed, rounds, counts)) for n in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print("nodes built by each thread:", counts)
    print("in all:", sum(counts))


if __name__ == "__main__":
    main(*[int(a) for a in sys.argv[1:]])
