# Single operations on a shared list are atomic: nothing is lost, invented or seen half done.
import threading
from worker_threads import together

N, M = 4, 1500


# extend puts its items side by side.
shared = []


def extender(tag):
    def body():
        for j in range(M // 10):
            shared.extend([(tag, j, k) for k in range(5)])
    return body


together(*[extender(i) for i in range(N)])
runs = [shared[i:i + 5] for i in range(0, len(shared), 5)]
print(len(shared), all(len({(t, j) for t, j, k in r}) == 1 and [k for t, j, k in r] == list(range(5)) for r in runs))

# Appends and pops at both ends: every item once.
shared = []
taken = [[] for _ in range(N)]
stop = threading.Event()


def producer():
    for j in range(M):
        shared.append(j) if j % 2 else shared.insert(0, j)
    stop.set()


def consumer(mine, at):
    def body():
        while True:
            done = stop.is_set()
            try:
                mine.append(shared.pop(at))
            except IndexError:
                if done:
                    return
    return body


together(producer, *[consumer(taken[i], -(i % 2)) for i in range(N)])
print(sorted(x for t in taken for x in t) == list(range(M)), shared)

# Readers see one whole list or the other: assignment to a slice, copies, reversal, sorting of a list of equal sums.
shared = [0] * 64
seen = set()
stop = threading.Event()


def writer():
    for j in range(M):
        shared[:] = [j] * 64
    stop.set()


def reader():
    while not stop.is_set():
        copy = shared[:]
        seen.add((len(copy), len(set(copy))))


together(writer, reader, reader, reader)
print(seen <= {(64, 1)})

# Item assignment and reading: a value that was put there.
shared = [None] * 8
legal = {None} | {(i, j) for i in range(N) for j in range(M)}
bad = []


def setter(i):
    def body():
        for j in range(M):
            shared[j % 8] = (i, j)
            if shared[(j * 3) % 8] not in legal:
                bad.append(shared[(j * 3) % 8])
    return body


together(*[setter(i) for i in range(N)])
print(bad, all(v in legal for v in shared))

# Growing while others read by index, iterate, count and compare.
shared = []
stop = threading.Event()
wrong = []


def grower():
    for j in range(M * 4):
        shared.append(j)
    stop.set()


def looker():
    while not stop.is_set():
        n = len(shared)
        if n:
            if shared[n - 1] != n - 1:
                wrong.append(("item", n))
            if shared[n // 2:n // 2 + 3] != list(range(n // 2, min(n // 2 + 3, len(shared)))) and len(shared) < n:
                wrong.append(("slice", n))
            if n - 1 not in shared[n - 1:]:
                wrong.append(("in", n))
            if shared.index(0) != 0:
                wrong.append(("index", n))
        for a, b in enumerate(shared):
            if a != b:
                wrong.append(("iteration", a, b))
            if a > 50:
                break


together(grower, looker, looker)
print(wrong, shared == list(range(M * 4)))

# Deleting and clearing against reading.
shared = list(range(1000))
stop = threading.Event()


def remover():
    for j in range(300):
        shared[:] = range(1000)
        del shared[::2]
        shared.clear()
    stop.set()


def checker():
    while not stop.is_set():
        copy = list(shared)
        if len(copy) not in (0, 500, 1000) or (copy and sum(copy) not in (499500, 250000)):
            wrong.append(len(copy))


together(remover, checker, checker)
print(wrong)

# sort(): the list looks empty meanwhile, or is whole.
shared = list(range(500))
stop = threading.Event()


def sorter():
    for j in range(60):
        shared.sort(key=lambda x: -x if j % 2 else x)
    stop.set()


def peeker():
    while not stop.is_set():
        copy = shared[:]
        if len(copy) not in (0, 500) or (copy and sum(copy) != 124750):
            wrong.append(len(copy))


together(sorter, peeker)
print(wrong, sorted(shared) == list(range(500)))
