# Threads that run one generator to its end: each item comes out once, whoever has it.
import threading


def run(source, gates, take):
    def work(mine):
        gates.wait()
        while True:
            try:
                take(mine, source)
                return
            except ValueError as e:
                assert "already executing" in str(e), e

    parts = [[] for _ in range(3)]
    threads = [threading.Thread(target=work, args=(p,)) for p in parts]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return sum(parts, [])


def one_by_one(mine, source):
    for item in source:
        mine.append(item)


def by_next(mine, source):
    while (item := next(source, None)) is not None:
        mine.append(item)


def mixed(mine, source):
    any(mine.append(item) for item in source)


N = 300
for take in list.extend, one_by_one, by_next, mixed:
    good = 0
    for _ in range(10):
        items = run((i for i in range(N)), threading.Barrier(3), take)
        good += sorted(items) == list(range(N))
    print(take.__name__, good)

shared = set()
numbers = (i % 50 for i in range(2000))
run(numbers, threading.Barrier(3), lambda mine, source: shared.update(source))
print(len(shared), sum(shared))
