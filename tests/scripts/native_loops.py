# A stop of all threads, as a collection makes one, does not wait for the end of a long loop in native code. One thread runs
# such a loop again and again, another stops it again and again and counts the stops that began and ended in one and the same
# run: without safepoints in the loop there are two at most, one before it and one behind it. No time is taken: a run that was
# too short for the machine's load is followed by longer ones and then by many, so that only a loop without safepoints can fail.
# A thread of CPython holds the interpreter's lock in such a loop, so:
# live: no
import collections
import gc
import itertools
import threading

ENOUGH = 3


def most_stops(loop, n):
    """The most stops in one run of loop(n), of up to 40 runs."""
    run, most, enough = 0, 0, False

    def work():
        nonlocal run
        while run < 80 and not enough:
            run += 1  # odd: inside
            loop(n)
            run += 1
        run = 81

    thread = threading.Thread(target=work)
    thread.start()
    last, stops = 0, 0
    while run < 80 and not enough:
        before = run
        gc.collect(0)
        if before % 2 == 0 or run != before:
            continue
        stops = stops + 1 if before == last else 1
        last = before
        most = max(most, stops)
        enough = most >= ENOUGH
    enough = True
    thread.join()
    return most


numbers = list(range(100000))
big = []
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
    "list[:]": lambda n: big[:],
    "list +": lambda n: big + big,
    "list.extend": lambda n: [].extend(big),
    "list.reverse": lambda n: big.reverse(),
    "list.sort": lambda n: big.sort(),
    "dict.copy": lambda n: {i: i for i in range(n)}.copy(),
    "list.count": lambda n: (numbers * (n // 100000 + 1)).count(7),
    "list.index": lambda n: (numbers * (n // 100000 + 1) + [-1]).index(-1),
    "sorted": lambda n: sorted(itertools.islice(itertools.cycle(numbers[::-7]), n // 4)),
    "sorted strings": lambda n: sorted(itertools.islice(itertools.cycle(text), n // 8)),
    "tuple ==": lambda n: tuple(range(n // 2)) == tuple(range(n // 2)),
    "str.split": lambda n: ("ab " * n).split(),
    "str.split(sep)": lambda n: ("ab " * n).split(" "),
    "str.replace": lambda n: ("ab " * (n * 2)).replace("b", "bcd"),
    "str.count": lambda n: ("ab " * (n * 4)).count("b "),
    "str.find": lambda n: ("ab " * (n * 4)).rfind("bb"),
    "repr of str": lambda n: repr("ab\n" * n),
    "bytes.split": lambda n: (b"ab " * n).split(),
    "bytes.replace": lambda n: (b"ab " * (n * 2)).replace(b"b", b"bcd"),
    "int ** int": lambda n: 12345678901 ** (n // 20),
    "pow": lambda n: pow(3, 1 << n // 20, (1 << 521) - 1),
}
for name, loop in LOOPS.items():
    n, more = 100000, 30
    while True:
        big = list(range(4 * n))  # not part of what is looked at
        stops = most_stops(loop, n)
        if stops >= ENOUGH:
            print(name, "can be stopped")
            break
        if n < 1600000:
            n *= 4
        elif more:
            more -= 1
        else:
            print(name, "holds up a stop:", stops)
            break
