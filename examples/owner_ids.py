# args: --reclaim
# live: no
# figures
"""Whose thread id does an object carry?

usage: owner_ids.py [--reclaim]

The first word of every object is the id of the thread that owns it; that thread counts
references without atomic operations.  A collection borrows this word to count in, and has
to put the right id back.  Here a thread `maker` makes 20,000 objects and stays alive; every
second one becomes a cycle that nobody else holds, and the main thread collects them.
The memory of the dead lies between living objects on full pages of `maker`, which nobody
owns at that moment (they were abandoned when they were full).

With --reclaim a second thread, `taker`, then makes 10,000 objects.  They come to lie where
the dead ones were (how many do is printed), so pages that `maker` made now belong to
`taker`, and the next collection gives the living objects there to `taker`.

Expected: before and after every collection all living objects carry the id of a thread
that lives, `maker` without --reclaim, `maker` or `taker` with it; the column `nobody`
stays 0.  (With the option page_reclaim_on_free=1 the thread that frees takes the pages, so
there they become main's.)  An interpreter with a global lock keeps no owner in its objects; there the script
says so and ends.
"""

import argparse
import ctypes
import gc
import sys
import threading

COUNT = 20_000


class Node:
    __slots__ = ("me", "__weakref__")

    def __init__(self):
        self.me = None


def owner(obj):
    return ctypes.c_size_t.from_address(id(obj)).value


def show(step, objects, threads):
    """One line: how many of the objects carry which thread's id."""
    ids = {ident: name for name, ident in threads.items()}
    counts = {name: 0 for name in ("maker", "taker", "main", "nobody")}
    for obj in objects:
        counts[ids.get(owner(obj), "nobody")] += 1
    print("%-34s %8d %8d %8d %8d %8d" % (
        step, len(objects), counts["maker"], counts["taker"], counts["main"], counts["nobody"]))
    return counts


class Worker:
    """A thread that does one thing, then stays until it is told to go."""

    def __init__(self, function):
        self.function = function
        self.done = threading.Event()
        self.leave = threading.Event()
        self.thread = threading.Thread(target=self.work)
        self.thread.start()
        self.done.wait()

    def work(self):
        self.function()
        self.done.set()
        self.leave.wait()

    def end(self):
        self.leave.set()
        self.thread.join()


def main():
    parser = argparse.ArgumentParser(description="Shows whose thread id objects carry.")
    parser.add_argument("--reclaim", action="store_true",
                        help="let a second thread take the memory of the dead")
    options = parser.parse_args()
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        print("objects of this interpreter have no owner")
        return

    gc.disable()
    objects = []

    def make():
        objects.extend([Node() for _ in range(COUNT)])

    maker = Worker(make)
    threads = {"main": threading.get_ident(), "maker": maker.thread.ident}
    print("%-34s %8s %8s %8s %8s %8s" % ("", "objects", "maker", "taker", "main", "nobody"))
    show("made by maker", objects, threads)

    dead = set()
    for node in objects[1::2]:
        node.me = node
        dead.add(id(node))
    objects[:] = objects[::2]
    node = None
    show("half of them are garbage", objects, threads)
    found = gc.collect()
    print("collected by main: all of them", found >= COUNT // 2)
    counts = show("after the collection", objects, threads)
    print("all carry the id of maker:", counts["maker"] == len(objects))

    if options.reclaim:
        fresh = []

        def take():
            fresh.extend([Node() for _ in range(COUNT // 2)])

        taker = Worker(take)
        threads["taker"] = taker.thread.ident
        reused = sum(id(node) in dead for node in fresh)
        print("objects of taker in the memory of the dead:", reused, "so some:", reused > 0)
        show("living objects of maker", objects, threads)
        show("objects of taker", fresh, threads)
        gc.collect()
        counts = show("objects of maker, collected again", objects, threads)
        print("all carry the id of maker or taker:", counts["maker"] + counts["taker"] == len(objects))
        print("some changed hands with their page:", counts["taker"] > 0)
        counts = show("objects of taker, collected again", fresh, threads)
        print("all carry the id of maker or taker:", counts["maker"] + counts["taker"] == len(fresh))
        taker.end()
    maker.end()


if __name__ == "__main__":
    main()
