"""Iterators.  The ones that threads share and that loops run hot over are native."""

from _itertools import count, cycle, repeat, chain, islice
import operator


def accumulate(iterable, func=operator.add, *, initial=None):
    iterator = iter(iterable)
    total = initial
    if initial is None:
        for total in iterator:
            break
        else:
            return
    yield total
    for item in iterator:
        total = func(total, item)
        yield total


def takewhile(predicate, iterable):
    for item in iterable:
        if not predicate(item):
            break
        yield item


def dropwhile(predicate, iterable):
    iterator = iter(iterable)
    for item in iterator:
        if not predicate(item):
            yield item
            break
    for item in iterator:
        yield item


def filterfalse(predicate, iterable):
    if predicate is None:
        predicate = bool
    for item in iterable:
        if not predicate(item):
            yield item


def starmap(function, iterable):
    for args in iterable:
        yield function(*args)


def compress(data, selectors):
    for item, chosen in zip(data, selectors):
        if chosen:
            yield item


def pairwise(iterable):
    iterator = iter(iterable)
    for before in iterator:
        break
    else:
        return
    for item in iterator:
        yield before, item
        before = item


def zip_longest(*iterables, fillvalue=None):
    iterators = [iter(iterable) for iterable in iterables]
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


def product(*iterables, repeat=1):
    repeat = operator.index(repeat)
    if repeat < 0:
        raise ValueError("repeat argument cannot be negative")
    return _product([tuple(iterable) for iterable in iterables] * repeat)


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


def combinations(iterable, r):
    return _combinations(tuple(iterable), _checked(r))


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


def combinations_with_replacement(iterable, r):
    return _with_replacement(tuple(iterable), _checked(r))


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


def permutations(iterable, r=None):
    pool = tuple(iterable)
    if r is None:
        r = len(pool)
    elif not isinstance(r, int):
        raise TypeError("Expected int as r")
    return _permutations(pool, _checked(r))


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


class groupby:
    """Groups share the source; a group is over when the next one is asked for."""

    def __init__(self, iterable, key=None):
        self._iterator = iter(iterable)
        self._key = key
        self._have = False        # _item and _value hold an item not yet handed out
        self._item = None
        self._value = None
        self._number = 0          # of the group that is being read
        self._done = False

    def __iter__(self):
        return self

    def _fetch(self):
        if self._have:
            return True
        for item in self._iterator:
            self._item = item
            self._value = item if self._key is None else self._key(item)
            self._have = True
            return True
        self._done = True
        return False

    def __next__(self):
        if self._number:
            value = self._current
            while self._fetch() and self._value == value:
                self._have = False
        if not self._fetch():
            raise StopIteration
        self._current = self._value
        self._number += 1
        return self._current, self._group(self._number, self._current)

    def _group(self, number, value):
        while self._number == number and self._fetch() and self._value == value:
            self._have = False
            yield self._item


class _Link:
    """One item of a tee, made when the first reader gets there."""

    __slots__ = ("source", "value", "following")

    def __init__(self, source):
        self.source = source
        self.following = None


class _Tee:
    def __init__(self, link):
        self._link = link

    def __iter__(self):
        return self

    def __next__(self):
        link = self._link
        if link.following is None:
            value = next(link.source)
            link.value = value
            link.following = _Link(link.source)
        self._link = link.following
        return link.value

    def __copy__(self):
        return _Tee(self._link)


def tee(iterable, n=2):
    if n < 0:
        raise ValueError("n must be >= 0")
    if not n:
        return ()
    first = iterable if isinstance(iterable, _Tee) else _Tee(_Link(iter(iterable)))
    return tuple([first] + [first.__copy__() for _ in range(n - 1)])
