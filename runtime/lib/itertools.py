"""Iterators.  Those that loops run hot over are native.

The others are generators, each in a class of its own whose `turns` hands threads that share
one an item after the other.
"""

from _itertools import count, cycle, repeat, chain, islice, turns
import operator


class accumulate(turns):
    __slots__ = ()

    def __new__(cls, iterable, func=None, *, initial=None):
        return turns.__new__(cls, _accumulate(iter(iterable), func or operator.add, initial))


def _accumulate(iterator, func, total):
    if total is None:
        for total in iterator:
            break
        else:
            return
    yield total
    for item in iterator:
        total = func(total, item)
        yield total


class takewhile(turns):
    __slots__ = ()

    def __new__(cls, predicate, iterable, /):
        return turns.__new__(cls, _takewhile(predicate, iter(iterable)))


def _takewhile(predicate, iterator):
    for item in iterator:
        if not predicate(item):
            break
        yield item


class dropwhile(turns):
    __slots__ = ()

    def __new__(cls, predicate, iterable, /):
        return turns.__new__(cls, _dropwhile(predicate, iter(iterable)))


def _dropwhile(predicate, iterator):
    for item in iterator:
        if not predicate(item):
            yield item
            break
    for item in iterator:
        yield item


class filterfalse(turns):
    __slots__ = ()

    def __new__(cls, predicate, iterable, /):
        return turns.__new__(cls, _filterfalse(bool if predicate is None else predicate, iter(iterable)))


def _filterfalse(predicate, iterator):
    for item in iterator:
        if not predicate(item):
            yield item


class starmap(turns):
    __slots__ = ()

    def __new__(cls, function, iterable, /):
        return turns.__new__(cls, _starmap(function, iter(iterable)))


def _starmap(function, iterator):
    for args in iterator:
        yield function(*tuple(args))


class compress(turns):
    __slots__ = ()

    def __new__(cls, data, selectors):
        return turns.__new__(cls, _compress(zip(data, selectors)))


def _compress(pairs):
    for item, chosen in pairs:
        if chosen:
            yield item


class pairwise(turns):
    __slots__ = ()

    def __new__(cls, iterable, /):
        return turns.__new__(cls, _pairwise(iter(iterable)))


def _pairwise(iterator):
    for before in iterator:
        break
    else:
        return
    for item in iterator:
        yield before, item
        before = item


class zip_longest(turns):
    __slots__ = ()

    def __new__(cls, *iterables, fillvalue=None):
        return turns.__new__(cls, _zip_longest([iter(iterable) for iterable in iterables], fillvalue))


def _zip_longest(iterators, fillvalue):
    left = len(iterators)
    if not left:
        return
    empty = iter(())
    while True:
        row = []
        for i, iterator in enumerate(iterators):
            for item in iterator:
                row.append(item)
                break
            else:
                if iterator is not empty:
                    left -= 1
                    if not left:
                        return
                    iterators[i] = empty
                row.append(fillvalue)
        yield tuple(row)


class product(turns):
    __slots__ = ()

    def __new__(cls, *iterables, repeat=1):
        repeat = operator.index(repeat)
        if repeat < 0:
            raise ValueError("repeat argument cannot be negative")
        return turns.__new__(cls, _product([tuple(iterable) for iterable in iterables] * repeat))


def _product(pools):
    for pool in pools:
        if not pool:
            return
    places = [0] * len(pools)
    row = [pool[0] for pool in pools]
    while True:
        yield tuple(row)
        i = len(pools) - 1
        while i >= 0:
            places[i] += 1
            if places[i] < len(pools[i]):
                row[i] = pools[i][places[i]]
                break
            places[i] = 0
            row[i] = pools[i][0]
            i -= 1
        if i < 0:
            return


def _checked(r):
    r = operator.index(r)
    if r < 0:
        raise ValueError("r must be non-negative")
    return r


class combinations(turns):
    __slots__ = ()

    def __new__(cls, iterable, r):
        return turns.__new__(cls, _combinations(tuple(iterable), _checked(r)))


def _combinations(pool, r):
    n = len(pool)
    if r > n:
        return
    places = list(range(r))
    yield tuple([pool[i] for i in places])
    while True:
        i = r - 1
        while i >= 0 and places[i] == i + n - r:
            i -= 1
        if i < 0:
            return
        places[i] += 1
        for j in range(i + 1, r):
            places[j] = places[j - 1] + 1
        yield tuple([pool[i] for i in places])


class combinations_with_replacement(turns):
    __slots__ = ()

    def __new__(cls, iterable, r):
        return turns.__new__(cls, _with_replacement(tuple(iterable), _checked(r)))


def _with_replacement(pool, r):
    n = len(pool)
    if not n and r:
        return
    places = [0] * r
    yield tuple([pool[i] for i in places])
    while True:
        i = r - 1
        while i >= 0 and places[i] == n - 1:
            i -= 1
        if i < 0:
            return
        places[i:] = [places[i] + 1] * (r - i)
        yield tuple([pool[i] for i in places])


class permutations(turns):
    __slots__ = ()

    def __new__(cls, iterable, r=None):
        pool = tuple(iterable)
        if r is None:
            r = len(pool)
        elif not isinstance(r, int):
            raise TypeError("Expected int as r")
        return turns.__new__(cls, _permutations(pool, _checked(r)))


def _permutations(pool, r):
    n = len(pool)
    if r > n:
        return
    order = list(range(n))
    turns = list(range(n, n - r, -1))
    yield tuple([pool[i] for i in order[:r]])
    while n:
        i = r - 1
        while i >= 0:
            turns[i] -= 1
            if turns[i]:
                j = n - turns[i]
                order[i], order[j] = order[j], order[i]
                yield tuple([pool[i] for i in order[:r]])
                break
            order[i:] = order[i + 1:] + order[i:i + 1]
            turns[i] = n - i
            i -= 1
        if i < 0:
            return


class groupby(turns):
    """Groups share the source; a group is over when the next one is asked for."""

    __slots__ = ()

    def __new__(cls, iterable, key=None):
        turn = turns(())
        return turns.__new__(cls, _Groups(iter(iterable), key).each(turn), turn)


class _Groups:
    """What a groupby and its groups share, under one turn."""

    __slots__ = ("iterator", "key", "have", "item", "value", "number")

    def __init__(self, iterator, key):
        self.iterator = iterator
        self.key = key
        self.have = False        # item and value are not yet handed out
        self.item = None
        self.value = None
        self.number = 0          # of the group that is being read

    def fetch(self):
        if self.have:
            return True
        for item in self.iterator:
            self.item = item
            self.value = item if self.key is None else self.key(item)
            self.have = True
            return True
        return False

    def each(self, turn):
        while self.fetch():
            current = self.value
            self.number += 1
            yield current, turns(self.group(self.number, current), turn)
            while self.fetch() and self.value == current:
                self.have = False

    def group(self, number, value):
        while self.number == number and self.fetch() and self.value == value:
            self.have = False
            yield self.item


class _Link:
    """One item of a tee, made when the first reader gets there."""

    __slots__ = ("value", "following")

    def __init__(self):
        self.following = None


def _links(iterator, link):
    for link.value in iterator:
        following = _Link()
        link.following = following
        link = following
        yield


class _Tee:
    __slots__ = ("_links", "_link", "__weakref__")

    def __init__(self, links, link):
        self._links = links       # each step makes the next link
        self._link = link

    def __iter__(self):
        return self

    def __next__(self):
        link = self._link
        while link.following is None:
            try:
                next(self._links)
            except StopIteration:
                if link.following is None:  # else another reader made it meanwhile
                    raise
        self._link = link.following
        return link.value

    def __copy__(self):
        return _Tee(self._links, self._link)


def tee(iterable, n=2):
    if n < 0:
        raise ValueError("n must be >= 0")
    if not n:
        return ()
    if isinstance(iterable, _Tee):
        first = iterable
    else:
        link = _Link()
        first = _Tee(turns(_links(iter(iterable), link)), link)
    return tuple([first] + [first.__copy__() for _ in range(n - 1)])
