# heapq and bisect.
import heapq
import random
import threading
from bisect import bisect, bisect_left, bisect_right, insort, insort_left

r = random.Random(1)
data = [r.randrange(1000) for _ in range(200)]
heap = []
for x in data:
    heapq.heappush(heap, x)
print([heapq.heappop(heap) for _ in range(len(heap))] == sorted(data))
heap = list(data)
heapq.heapify(heap)
print(all(heap[(i - 1) // 2] <= heap[i] for i in range(1, len(heap))), heap[:8])
print(heapq.heapreplace(heap, -1), heap[0], heapq.heappushpop(heap, -5), heapq.heappushpop(heap, 5000))
print(heapq.nsmallest(3, data), heapq.nlargest(3, data), heapq.nlargest(2, ["a", "ccc", "bb"], key=len))
print(list(heapq.merge([1, 4, 7], [2, 4, 9], [0])), list(heapq.merge([3, 1], [2], reverse=True)))
for call in (lambda: heapq.heappop([]), lambda: heapq.heapreplace([], 1)):
    try:
        call()
    except IndexError as error:
        print("IndexError:", error)

shared = []


def push_and_pop(seed):
    r = random.Random(seed)
    for _ in range(300):
        heapq.heappush(shared, r.randrange(1000))
        if r.random() < 0.4:
            heapq.heappop(shared)


threads = [threading.Thread(target=push_and_pop, args=(i,)) for i in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(all(shared[(i - 1) // 2] <= shared[i] for i in range(1, len(shared))))

a = [1, 2, 2, 2, 5]
print(bisect_left(a, 2), bisect_right(a, 2), bisect(a, 3), bisect(a, 0), bisect(a, 9), bisect_left(a, 2, 2), bisect(a, 2, 0, 3))
insort(a, 3)
insort_left(a, 2)
print(a, bisect_left(["bb", "a"], 1, key=len))
try:
    bisect([1], 1, -1)
except ValueError as error:
    print("ValueError:", error)
