# args: 1 0.2
"""A program whose memory has phases: what a collection policy must cope with.

usage: growth.py [seed [scale]]

  load     an index is built up and kept: collections find nothing and should be few
  serve    requests make small rings with a payload and drop them: garbage that only a
           collection frees, beside a cache that keeps the newest
  shrink   half of the index goes, by counting alone
  serve    the same again, over less live data

Which policy does how many collections, and what they cost, show the gc log and the lab:

  tools/run --gc-log=/tmp/log examples/growth.py
  tools/policy_lab examples/growth.py

Expected: the lines below depend on the seed and the scale only.
"""

import random
import sys


class Record:
    def __init__(self, key, size):
        self.key = key
        self.data = bytes(size)


class Request:
    """Part of a ring; the first one carries the payload."""

    def __init__(self, number):
        self.number = number
        self.next = None
        self.payload = None


def serve(rng, count, cache, index):
    answered = 0
    for number in range(count):
        first = last = Request(number)
        for _ in range(rng.randrange(1, 8)):
            last.next = Request(number)
            last = last.next
        last.next = first
        first.payload = bytes(rng.randrange(100, 1500))
        answered += len(first.payload)
        if rng.random() < 0.1:
            cache[number % 500] = first
        answered += len(index.get(rng.randrange(len(index)), b"") or b"")
    return answered


def main(seed=1, scale=1.0):
    rng = random.Random(seed)
    index = {}
    for key in range(int(60_000 * scale)):
        record = Record(key, rng.randrange(50, 400))
        index[key] = record.data if key % 2 else bytes(record.data)
        if key % 4 == 0:
            index[-key - 1] = [record, [record]]
    print("records:", len(index))
    cache = {}
    index = {key: value for key, value in index.items() if isinstance(value, bytes)}
    print("first answers:", serve(rng, int(60_000 * scale), cache, index))
    for key in range(0, int(60_000 * scale), 2):
        del index[key]
    print("left:", len(index))
    print("second answers:", serve(rng, int(60_000 * scale), cache, index))
    print("cached:", len(cache))


if __name__ == "__main__":
    main(*[int(a) for a in sys.argv[1:2]], *[float(a) for a in sys.argv[2:3]])
