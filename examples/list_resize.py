# args: 20 30000
# figures
"""Lists made on one thread and resized on another.

usage: list_resize.py [rounds [items]]

Every list of 3,000,000 items (24 MB) goes through a queue to a thread that appends one item,
so the list's storage is replaced, and the old one is freed by a thread that did not make it.
Other threads may be reading the old one without a lock, so it cannot be freed at once.  No
more than about five lists exist at a time; the figures show that memory stays at that.

Expected: no growth from the first rounds to the last; the peak near the need.
"""

import queue
import resource
import sys
import threading

MIB = 1 << 20


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(rounds=100, items=3_000_000):
    base = peak()
    lists = queue.Queue(maxsize=2)
    lengths = []
    peaks = []

    def make():
        for i in range(rounds):
            lists.put([None] * (items + i % 7))
        lists.put(None)

    def take():
        while (x := lists.get()) is not None:
            x.append(0)
            lengths.append(len(x))
            if len(lengths) % max(1, rounds // 5) == 0:
                peaks.append(peak())

    threads = [threading.Thread(target=f) for f in (make, take)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    right = [items + i % 7 + 1 for i in range(rounds)]
    print("lists resized:", len(lengths))
    print("all lengths right:", lengths == right)
    # Two in the queue, one at each end, and the new storage of the one that grows.
    print(f"need {base + 5 * items * 8 / MIB:.0f} MiB")
    print("peak after each fifth:", ", ".join([f"{p:.0f} MiB" for p in peaks]))


if __name__ == "__main__":
    main(*[int(arg) for arg in sys.argv[1:3]])
