"""A heap in a list: heap[k] <= heap[2k+1] and heap[k] <= heap[2k+2].  Calls are atomic for each other."""

from _heapq import heappush, heappop, heapreplace, heappushpop, heapify


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
