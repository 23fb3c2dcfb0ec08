# A stop of all threads, as a collection makes one, does not wait for the end of a long loop in native code: while one
# thread runs such a loop, another stops it again and again. Counted in stops and not in time: without safepoints in the
# loop there are two at most, one before it and one that waits for its end.
# A thread of CPython holds the interpreter's lock in such a loop, so:
# live: no
import collections
import gc
import itertools
import threading
import time


def stops_during(loop, n):
    started, done = threading.Event(), threading.Event()
    stops = 0

    def work():
        started.set()
        loop(n)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    while not done.is_set():
        gc.collect(0)
        stops += 1
        time.sleep(0.0005)
    thread.join()
    return stops


numbers = list(range(100000))
text = [str(i) for i in range(1000)]
LOOPS = {
    "sum": lambda n: sum(range(n)),
    "max": lambda n: max(range(n)),
    "min": lambda n: min(iter(range(n))),
    "any": lambda n: any(itertools.repeat(0, n)),
    "all": lambda n: all(itertools.repeat(1, n)),
    "filter": lambda n: list(filter(None, itertools.repeat(0, n))),
    "list": lambda n: list(range(n)),
    "tuple": lambda n: tuple(range(n)),
    "set": lambda n: set(range(n)),
    "deque": lambda n: collections.deque(range(n), maxlen=3),
    "in": lambda n: -1 in range(n).__iter__(),
    "str.join": lambda n: "".join(itertools.repeat("ab", n)),
    "list.count": lambda n: (numbers * (n // 100000 + 1)).count(7),
    "list.index": lambda n: (numbers * (n // 100000 + 1) + [-1]).index(-1),
    "sorted": lambda n: sorted(itertools.islice(itertools.cycle(numbers[::-7]), n // 4)),
    "sorted strings": lambda n: sorted(itertools.islice(itertools.cycle(text), n // 8)),
    "tuple ==": lambda n: tuple(range(n // 2)) == tuple(range(n // 2)),
    "int ** int": lambda n: 12345678901 ** (n // 20),
    "pow": lambda n: pow(3, 1 << n // 20, (1 << 521) - 1),
}
for name, loop in LOOPS.items():
    n = 200000
    while True:
        stops = stops_during(loop, n)
        if stops >= 6:
            print(name, "can be stopped")
            break
        n *= 4
        if n > 4000000:
            print(name, "holds up a stop:", stops)
            break
