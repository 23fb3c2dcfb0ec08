"""Calls of a method by eight threads: of one object, of that object marked as shared
(_tidepool.set_deferred), and of an object for each. python/cpython#134761.

usage: shared_object.py [CALLS]     by each thread; 300,000 if not given
Prints the CPU nanoseconds of a call, the least of three rounds: shared, marked, own.
"""
import sys
import threading
import time

import _tidepool

CALLS = int(sys.argv[1]) if len(sys.argv) > 1 else 300000
THREADS = 8


class Thing:
    def method(self):
        return None


def work(thing):
    for _ in range(CALLS):
        thing.method()


def run(things):
    start = time.process_time()
    threads = [threading.Thread(target=work, args=(t,)) for t in things]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return (time.process_time() - start) * 1e9 / (CALLS * THREADS)


def main():
    one, marked = Thing(), Thing()
    _tidepool.set_deferred(marked)
    least = [1e9] * 3
    for _ in range(3):
        for i, things in enumerate(([one] * THREADS, [marked] * THREADS,
                                    [Thing() for _ in range(THREADS)])):
            least[i] = min(least[i], run(things))
    print("%.1f %.1f %.1f" % tuple(least))


main()
