# args: 1
"""A graph with parent links: cyclic garbage, dicts of objects, a priority queue."""
import sys
from heapq import heappop, heappush
from random import Random


class Vertex:
    def __init__(self, name):
        self.name = name
        self.edges = []
        self.parent = None
        self.distance = None


def build(random, n):
    vertices = [Vertex(i) for i in range(n)]
    for v in vertices:
        for _ in range(4):
            w = vertices[random.randrange(n)]
            length = random.randint(1, 50)
            v.edges.append((w, length))
            w.edges.append((v, length))
    return vertices


def shortest(start):
    start.distance = 0
    heap = [(0, start.name, start)]
    while heap:
        distance, _, v = heappop(heap)
        if distance > v.distance:
            continue
        for w, length in v.edges:
            there = distance + length
            if w.distance is None or there < w.distance:
                w.distance = there
                w.parent = v
                heappush(heap, (there, w.name, w))


def main(scale):
    random = Random(11)
    total = 0
    for _ in range(4):
        vertices = build(random, 700 * scale)
        shortest(vertices[0])
        total += sum(v.distance for v in vertices if v.distance is not None)
    print(total)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
