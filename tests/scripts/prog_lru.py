# An LRU cache as a linked list with weak back references, a memoising decorator, and what they keep alive.
import functools
import weakref
from collections import OrderedDict


class Node:
    __slots__ = ("key", "value", "next", "_prev", "__weakref__")
    alive = 0

    def __init__(self, key, value):
        self.key, self.value, self.next, self._prev = key, value, None, None
        Node.alive += 1

    def __del__(self):
        Node.alive -= 1

    @property
    def prev(self):
        return self._prev() if self._prev is not None else None

    @prev.setter
    def prev(self, node):
        self._prev = weakref.ref(node) if node is not None else None


class LRU:
    def __init__(self, size):
        self.size = size
        self.table = {}
        self.first = self.last = None
        self.hits = self.misses = 0

    def _unlink(self, n):
        if n.prev:
            n.prev.next = n.next
        else:
            self.first = n.next
        if n.next:
            n.next.prev = n.prev
        else:
            self.last = n.prev
        n.next = n.prev = None

    def _front(self, n):
        n.next = self.first
        if self.first:
            self.first.prev = n
        self.first = n
        if self.last is None:
            self.last = n

    def get(self, key, default=None):
        n = self.table.get(key)
        if n is None:
            self.misses += 1
            return default
        self.hits += 1
        self._unlink(n)
        self._front(n)
        return n.value

    def put(self, key, value):
        n = self.table.get(key)
        if n:
            n.value = value
            self._unlink(n)
        else:
            if len(self.table) == self.size:
                old = self.last
                self._unlink(old)
                del self.table[old.key]
            n = self.table[key] = Node(key, value)
        self._front(n)

    def keys(self):
        n = self.first
        while n:
            yield n.key
            n = n.next

    def __len__(self):
        return len(self.table)


c = LRU(3)
for k in "abcabd":
    if c.get(k) is None:
        c.put(k, k.upper())
print(list(c.keys()), c.hits, c.misses, len(c), Node.alive)
c.put("a", "again")
print(list(c.keys()), c.get("a"), c.get("zzz", "none"), Node.alive)
# Against an OrderedDict on a long sequence.
seed = 12345
ours, model = LRU(50), OrderedDict()
for i in range(5000):
    seed = (seed * 1103515245 + 12345) % 2**31
    k = seed // 65536 % 120
    a = ours.get(k)
    b = model.get(k)
    if b is not None:
        model.move_to_end(k)
    assert a == b, (i, k, a, b)
    if a is None:
        ours.put(k, i)
        model[k] = i
        if len(model) > 50:
            model.popitem(last=False)
print(list(ours.keys()) == list(reversed(model)), ours.hits, ours.misses, Node.alive)
del c, ours
print(Node.alive)


calls = []


@functools.lru_cache(maxsize=4)
def square(n):
    calls.append(n)
    return n * n


print([square(n) for n in [1, 2, 3, 1, 4, 5, 1, 2]], calls, square.cache_info())
square.cache_clear()
print(square(1), square.cache_info().currsize)


@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(150), fib.cache_info().misses)
