# One itertools object in several threads: every item is handed out once, and nothing is invented.
import itertools
import operator
import threading

N = 2000


def share(iterator, threads=4):
    """What the threads got, together."""
    start = threading.Barrier(threads)
    parts = [[] for _ in range(threads)]
    failed = []

    def run(part):
        start.wait()
        try:
            for item in iterator:
                part.append(item)
        except Exception as e:
            failed.append(repr(e))
    workers = [threading.Thread(target=run, args=(part,)) for part in parts]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failed, failed
    return sorted(item for part in parts for item in part)


def whole(name, make):
    print(name, share(make()) == sorted(make()))


numbers = range(N)
whole("accumulate", lambda: itertools.accumulate(numbers, operator.add))
whole("takewhile", lambda: itertools.takewhile((N // 2).__gt__, numbers))
whole("dropwhile", lambda: itertools.dropwhile((N // 2).__gt__, numbers))
whole("filterfalse", lambda: itertools.filterfalse((7).__rmod__, numbers))
whole("starmap", lambda: itertools.starmap(operator.mul, zip(numbers, numbers)))
whole("compress", lambda: itertools.compress(numbers, itertools.cycle([1, 0, 1])))
whole("pairwise", lambda: itertools.pairwise(numbers))
whole("zip_longest", lambda: itertools.zip_longest(numbers, range(N // 2), fillvalue=-1))
whole("product", lambda: itertools.product(range(40), range(50)))
whole("permutations", lambda: itertools.permutations(range(6)))
whole("combinations", lambda: itertools.combinations(range(12), 4))
whole("combinations_with_replacement", lambda: itertools.combinations_with_replacement(range(8), 4))

# Items of a tee may come twice, and threads take groups from under each other.
got = share(itertools.tee(numbers)[0])
print("tee", set(got) <= set(numbers), len(set(got)) == N)
groups = itertools.groupby(numbers)
got = share(map(operator.itemgetter(0), groups))
print("groupby", set(got) <= set(numbers))

print([type(i).__name__ for i in (itertools.product(), itertools.starmap(max, []), groups)])


class Crossed:
    """A source whose first item is one of the other iterator's, which the other thread steps."""

    def __init__(self, both, mine):
        self.both, self.mine, self.made = both, mine, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.made += 1
        if self.made > 2:
            raise StopIteration
        if self.made == 1:
            meet.wait()
            try:
                next(self.both[1 - self.mine], None)
            except ValueError:
                pass  # "already executing": the one that came last is told
        return [self.made]


for kind in (lambda source: itertools.takewhile(lambda item: True, source),
             lambda source: itertools.filterfalse(lambda item: False, source),
             lambda source: itertools.dropwhile(lambda item: False, source)):
    both, meet = [], threading.Barrier(2)
    for mine in (0, 1):
        both.append(kind(Crossed(both, mine)))
    crossed = [threading.Thread(target=next, args=(one, None)) for one in both]
    for thread in crossed:
        thread.start()
    for thread in crossed:
        thread.join(60)
    print("ended", not any(thread.is_alive() for thread in crossed))
