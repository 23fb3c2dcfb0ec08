# collections.abc: builtin classes are registered, one's own get the mixin methods.
from collections import deque, OrderedDict, Counter, defaultdict, ChainMap
from collections.abc import (Awaitable, Callable, Collection, Container, Coroutine, Generator, Hashable, ItemsView, Iterable,
                             Iterator, KeysView, Mapping, MutableMapping, MutableSequence, MutableSet, Reversible, Sequence,
                             Set, Sized, ValuesView, AsyncIterable, AsyncIterator, ByteString)


def generator():
    yield 1


async def coroutine():
    pass


c = coroutine()
samples = {
    "int": 1, "str": "s", "bytes": b"b", "bytearray": bytearray(), "list": [], "tuple": (), "dict": {}, "set": set(),
    "frozenset": frozenset(), "range": range(3), "deque": deque(), "Counter": Counter(), "OrderedDict": OrderedDict(),
    "keys": {}.keys(), "values": {}.values(), "items": {}.items(), "listiter": iter([]), "gen": generator(), "coro": c,
    "func": len, "class": int, "None": None, "map": map(str, []), "enumerate": enumerate([]), "reversed": reversed([]),
    "defaultdict": defaultdict(int), "memoryview": memoryview(b""), "object": object(),
}
kinds = [Hashable, Iterable, Iterator, Reversible, Generator, Sized, Container, Collection, Callable, Sequence,
         MutableSequence, ByteString, Set, MutableSet, Mapping, MutableMapping, KeysView, ItemsView, ValuesView, Awaitable,
         Coroutine, AsyncIterable]
for name, value in samples.items():
    print("%-12s" % name, " ".join([k.__name__ for k in kinds if isinstance(value, k)]))
c.close()


class Listy(Sequence):
    def __init__(self, *items):
        self.items = items

    def __getitem__(self, i):
        return self.items[i]

    def __len__(self):
        return len(self.items)


s = Listy(3, 1, 4, 1, 5)
print(list(s), list(reversed(s)), s.index(4), s.count(1), 5 in s, 9 in s, s.index(1, 2))
try:
    s.index(1, 4)
except ValueError:
    print("ValueError")


class Stack(MutableSequence):
    def __init__(self, items=()):
        self.data = list(items)

    def __getitem__(self, i):
        return self.data[i]

    def __setitem__(self, i, v):
        self.data[i] = v

    def __delitem__(self, i):
        del self.data[i]

    def __len__(self):
        return len(self.data)

    def insert(self, i, v):
        self.data.insert(i, v)


s = Stack([1, 2])
s.append(3)
s.extend([4, 5])
s += [6]
s.reverse()
print(s.data, s.pop(), s.pop(0), s.data)
s.remove(4)
s.extend(s)
print(s.data)
s.clear()
print(len(s))


class LowerDict(MutableMapping):
    def __init__(self, *args, **kw):
        self.data = {}
        self.update(*args, **kw)

    def __getitem__(self, k):
        return self.data[k.lower()]

    def __setitem__(self, k, v):
        self.data[k.lower()] = v

    def __delitem__(self, k):
        del self.data[k.lower()]

    def __iter__(self):
        return iter(self.data)

    def __len__(self):
        return len(self.data)


d = LowerDict({"A": 1}, B=2)
d.update([("C", 3)])
print(d["a"], d.get("Z"), d.get("Z", 9), "B" in d, list(d.keys()), list(d.values()), list(d.items()), d == {"a": 1, "b": 2, "c": 3})
print(d.pop("A"), d.pop("A", None), d.setdefault("x", 5), d.setdefault("X", 6), d.popitem(), len(d), d != {})
try:
    d.pop("nope")
except KeyError as e:
    print("KeyError", e)
print(d.keys() & {"b", "q"}, sorted(d.keys() | {"q"}), ("b", 2) in d.items(), 2 in d.values(), len(d.items()))
print(isinstance(d.keys(), KeysView), isinstance(d, Mapping), repr(d.keys())[:8])
d.clear()
print(len(d), bool(d))


class Evens(Set):
    def __init__(self, items=()):
        self.items = [i for i in items if i % 2 == 0]

    def __contains__(self, x):
        return x in self.items

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)


a, b = Evens([2, 4, 5]), Evens([4, 6])
print(sorted(a | b), sorted(a & b), sorted(a - b), sorted(a ^ b), a <= b, Evens([4]) < a, a == Evens([4, 2]), a.isdisjoint([1]))
print(sorted({2, 3} & a), sorted({4, 8} - a), type({2} | a).__name__, a >= {2}, a != b)


class Bag(MutableSet, Evens):
    def add(self, x):
        if x not in self.items:
            self.items.append(x)

    def discard(self, x):
        if x in self.items:
            self.items.remove(x)


g = Bag([2, 4])
g.add(6)
g |= [8]
g -= [2]
print(sorted(g), len(g))
g.remove(8)
try:
    g.remove(8)
except KeyError as e:
    print("KeyError", e)
print(g.pop() in (4, 6), len(g))
g.clear()
print(len(g))


class Counting(Iterator):
    def __init__(self):
        self.n = 0

    def __next__(self):
        self.n += 1
        if self.n > 3:
            raise StopIteration
        return self.n


class Gen(Generator):
    def send(self, value):
        return value

    def throw(self, typ, val=None, tb=None):
        raise typ


print(list(Counting()), next(Gen()), Gen().close(), isinstance(Counting(), Iterable))
for bad in (Sequence, MutableMapping, Set, Iterator, Hashable, Callable):
    try:
        bad()
    except TypeError as e:
        print(e)


class NotHashable:
    __hash__ = None


class NotIterable:
    __iter__ = None


print(isinstance(NotHashable(), Hashable), isinstance(NotIterable(), Iterable), issubclass(list, Hashable))
