# args: 2 10
# figures
"""Small objects made by the workers of a pool and freed by the main thread.

usage: worker_objects.py [rounds [futures]]

Every future returns a list of 4,000 small objects.  A hundred of them are alive at the end
of a round; then the main thread drops them all, so every one is freed by a thread that did
not make it, and collects.  The pages of the workers must come back to be used in the next
round, and to the system when nobody needs them.

Expected: after the first rounds memory no longer grows, for every round uses what the one
before has left; and a moment without work later there is little more than at the start.
"""

import gc
import sys
import time
from concurrent.futures import ThreadPoolExecutor


def resident():
    """The memory this process has now, in MiB."""
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024


class Item:
    __slots__ = ("number", "text")

    def __init__(self, number):
        self.number = number
        self.text = str(number)


def work():
    return [Item(i) for i in range(4000)]


def main(rounds=10, futures=100):
    base = resident()
    full = []
    after = []
    made = 0
    with ThreadPoolExecutor(4) as pool:
        for _ in range(rounds):
            waiting = [pool.submit(work) for _ in range(futures)]
            results = [future.result() for future in waiting]
            made += sum(len(result) for result in results)
            full.append(resident())
            del waiting, results
            gc.collect()
            after.append(resident())
    print("objects made:", made)
    print(f"at start {base:.0f} MiB")
    print("with all alive:", ", ".join([f"{m:.0f} MiB" for m in full]))
    print("after dropping:", ", ".join([f"{m:.0f} MiB" for m in after]))
    time.sleep(1.5)
    print(f"idle {resident():.0f} MiB")


if __name__ == "__main__":
    main(*[int(arg) for arg in sys.argv[1:3]])
