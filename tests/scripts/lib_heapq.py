# heapq: the invariant, errors raised by comparisons, objects that die in a heap, threads.
import gc
import heapq
import random
import threading
import weakref


def is_heap(h):
    return all([h[(i - 1) // 2] <= h[i] for i in range(1, len(h))])


rng = random.Random(5)
for make in (lambda: rng.randrange(1000), lambda: rng.random(), lambda: str(rng.randrange(99)),
             lambda: (rng.randrange(9), str(rng.random())), lambda: rng.randrange(10 ** 30), lambda: rng.choice([1, 2.5, True])):
    items = [make() for _ in range(200)]
    h = items[:]
    heapq.heapify(h)
    assert is_heap(h) and sorted(h) == sorted(items)
    g = []
    for item in items:
        heapq.heappush(g, item)
        assert is_heap(g)
    assert [heapq.heappop(h) for _ in items] == [heapq.heappop(g) for _ in items] == sorted(items)
print("sorted")
h = [5, 1, 4]
heapq.heapify(h)
print(heapq.heappushpop(h, 0), heapq.heappushpop(h, 9), heapq.heapreplace(h, 2), h, heapq.heappushpop([], 3))
print(heapq.nsmallest(3, [5, 2, 8, 1]), heapq.nlargest(2, "hello", key=ord), heapq.nsmallest(0, [1]), heapq.nlargest(9, [1, 2]))
print(list(heapq.merge([1, 4, 7], [2, 5], [], [3, 9])), list(heapq.merge("ca", "b", reverse=True)))
for bad in (lambda: heapq.heappop([]), lambda: heapq.heapreplace([], 1), lambda: heapq.heappush((1, 2), 3), lambda: heapq.heapify(5),
            lambda: heapq.heappush([1], "x"), lambda: heapq.heappop(), lambda: heapq.heappop({})):
    try:
        print(bad())
    except (IndexError, TypeError) as e:
        print(type(e).__name__, e)


class Item:
    fail = False
    compared = 0

    def __init__(self, n):
        self.n = n

    def __lt__(self, other):
        Item.compared += 1
        if Item.fail and self.n == 3:
            raise RuntimeError("refuses")
        return self.n < other.n

    def __repr__(self):
        return "I%d" % self.n


items = [Item(n) for n in (5, 2, 8, 3, 9, 1)]
h = items[:]
heapq.heapify(h)
print(h, Item.compared)
Item.fail = True
for _ in range(4):
    try:
        print(heapq.heappop(h))
    except RuntimeError as e:
        print(e)
        break
Item.fail = False
print(sorted([i.n for i in h]))
heapq.heapify(h)
print([heapq.heappop(h) for _ in range(len(h))])


# A comparison that changes the heap is noticed.
class Nasty:
    def __init__(self, heap):
        self.heap = heap

    def __lt__(self, other):
        self.heap.clear()
        return True


h = []
h.extend([Nasty(h) for _ in range(5)])
try:
    heapq.heapify(h)
except RuntimeError as e:
    print(e)
print(len(h))


# A comparison that uses another heap.
other = []


class Reenters:
    def __init__(self, n):
        self.n = n

    def __lt__(self, them):
        heapq.heappush(other, self.n)
        return self.n < them.n


h = []
for n in (3, 1, 2):
    heapq.heappush(h, Reenters(n))
print([heapq.heappop(h).n for _ in range(3)], is_heap(other))


# Objects die when they are popped and dropped, in heap order.
class Dies(Item):
    def __del__(self):
        log.append(self.n)


log = []
h = []
for n in (4, 2, 6, 1):
    heapq.heappush(h, Dies(n))
while h:
    heapq.heappop(h)
print(log)
h = [Dies(1)]
h[0].cycle = h
r = weakref.ref(h[0])
del h
gc.collect()
print(r(), log[-1])

# One heap, many threads: nothing is lost, nothing is doubled, the order holds.
shared = []
taken = [[] for _ in range(4)]
start = threading.Barrier(8)


def push(k):
    start.wait()
    for i in range(500):
        heapq.heappush(shared, (i * 7919 % 1000, k, i))


def pop(k):
    start.wait()
    while len(taken[k]) < 300:
        try:
            taken[k].append(heapq.heappop(shared))
        except IndexError:
            pass


threads = [threading.Thread(target=push, args=(k,)) for k in range(4)] + [threading.Thread(target=pop, args=(k,)) for k in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
everything = shared + [x for part in taken for x in part]
print(len(shared), is_heap(shared), len(everything), len(set(everything)))
