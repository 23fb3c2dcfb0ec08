# Iterators shared by threads: no value is invented, none comes twice from a lock-protected one, all of them end.
import itertools
import threading

N = 4


def share(make, size, exact):
    it = make()
    got = [[] for _ in range(N)]
    barrier = threading.Barrier(N)
    errors = []

    def body(i):
        barrier.wait()
        try:
            for v in it:
                got[i].append(v)
        except Exception as e:
            errors.append(repr(e))
    threads = [threading.Thread(target=body, args=(i,)) for i in range(N)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    every = [v for g in got for v in g]
    legal = set(make())
    return errors, all(v in legal for v in every), len(every) >= size if not exact else sorted(every) == sorted(make())


items = list(range(3000))
for name, make in [("list", lambda: iter(items)), ("tuple", lambda: iter(tuple(items))), ("reversed", lambda: reversed(items)),
                   ("map", lambda: map(abs, items)), ("enumerate", lambda: map(lambda p: p[1] + (p[0] < 0), enumerate([7] * 3000))), ("zip", lambda: zip(items, [7] * 3000))]:
    print(name, share(make, 0, False))


# A generator may run in one thread at a time.
def numbers():
    for i in range(2000):
        yield i


class Guarded:
    def __init__(self, it):
        self.it = it
        self.lock = threading.Lock()

    def __iter__(self):
        return self

    def __next__(self):
        with self.lock:
            return next(self.it)


print("guarded generator", share(lambda: Guarded(numbers()), 2000, True))
print("guarded count", share(lambda: Guarded(itertools.islice(itertools.count(), 2000)), 2000, True))
print("guarded chain", share(lambda: Guarded(itertools.chain([1, 2], numbers())), 2002, True))

entered, leave = threading.Event(), threading.Event()


def waits():
    entered.set()
    leave.wait()
    yield "value"


g = waits()
result = []
t = threading.Thread(target=lambda: result.append(next(g)))
t.start()
entered.wait()
for attempt in (lambda: next(g), lambda: g.send(None), lambda: g.throw(KeyError), lambda: g.close()):
    try:
        attempt()
    except ValueError as e:
        print(e)
leave.set()
t.join()
print(result, list(g))


# Generators handed from thread to thread: each step elsewhere.
def journey():
    seen = []
    for i in range(6):
        seen.append((yield len(seen)))
    return seen


g = journey()
next(g)
steps = []


def step(i):
    try:
        steps.append(g.send(i))
    except StopIteration as e:
        steps.append(e.value)


for i in range(6):
    t = threading.Thread(target=step, args=(i * i,))
    t.start()
    t.join()
print(steps)

# Each thread its own iterator over one list that grows meanwhile.
grow = [0]
sums = []


def walk():
    total = 0
    for v in grow:
        total += v
    sums.append(total >= 0 and total <= sum(range(2000)))


threads = [threading.Thread(target=walk) for _ in range(N)]
for t in threads:
    t.start()
for i in range(1, 2000):
    grow.append(i)
for t in threads:
    t.join()
print(sums)
