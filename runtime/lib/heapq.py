"""A heap in a list: heap[k] <= heap[2k+1] and heap[k] <= heap[2k+2].

Calls are atomic for each other, so one heap may be used by several threads: a lock is
held over a call.  It is one lock for all heaps, and re-entrant, because comparisons
may run any code.
"""

from _thread import RLock

_lock = RLock()


def _rise(heap, start, position):
    """Moves heap[position] up until its parent is not greater."""
    item = heap[position]
    while position > start:
        above = (position - 1) >> 1
        parent = heap[above]
        if not item < parent:
            break
        heap[position] = parent
        position = above
    heap[position] = item


def _sink(heap, position):
    """Moves the smaller child up all the way, then lets the item rise from the bottom."""
    end = len(heap)
    start = position
    item = heap[position]
    child = 2 * position + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[position] = heap[child]
        position = child
        child = 2 * position + 1
    heap[position] = item
    _rise(heap, start, position)


def heappush(heap, item):
    with _lock:
        heap.append(item)
        _rise(heap, 0, len(heap) - 1)


def heappop(heap):
    with _lock:
        if not heap:
            raise IndexError("index out of range")
        last = heap.pop()
        if not heap:
            return last
        least = heap[0]
        heap[0] = last
        _sink(heap, 0)
        return least


def heapreplace(heap, item):
    with _lock:
        if not heap:
            raise IndexError("index out of range")
        least = heap[0]
        heap[0] = item
        _sink(heap, 0)
        return least


def heappushpop(heap, item):
    with _lock:
        if heap and heap[0] < item:
            least = heap[0]
            heap[0] = item
            _sink(heap, 0)
            return least
        return item


def heapify(heap):
    with _lock:
        for position in reversed(range(len(heap) // 2)):
            _sink(heap, position)


def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:max(n, 0)]


def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:max(n, 0)]


def merge(*iterables, key=None, reverse=False):
    """Merges sorted inputs, stable by the order of the inputs."""
    heads = []
    for number, iterable in enumerate(iterables):
        iterator = iter(iterable)
        for value in iterator:
            heads.append([value if key is None else key(value), number, value, iterator])
            break
    while heads:
        best = heads[0]
        for head in heads:
            if reverse:
                if best[0] < head[0]:
                    best = head
            elif head[0] < best[0]:
                best = head
        yield best[2]
        for value in best[3]:
            best[0] = value if key is None else key(value)
            best[2] = value
            break
        else:
            heads.remove(best)
