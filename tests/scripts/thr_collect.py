# seconds: 120
# Collections while threads build, change and drop graphs: what is reachable stays whole, what is not goes.
import gc
import threading
import weakref
from worker_threads import run

N = 4
wrong = []
deaths = []


class Node:
    def __init__(self, value):
        self.value = value
        self.links = []

    def __del__(self):
        deaths.append(1)


def build(n, seed):
    nodes = [Node(i) for i in range(n)]
    for i in range(n * 3):
        seed = (seed * 1103515245 + 12345) % 2**31
        nodes[seed % n].links.append(nodes[seed // 7 % n])
    return nodes


def check(root, n):
    seen, todo = {root}, [root]
    while todo:
        for other in todo.pop().links:
            if other not in seen:
                if not 0 <= other.value < n:
                    wrong.append(other.value)
                seen.add(other)
                todo.append(other)
    return len(seen)


def worker(i):
    for r in range(12):
        nodes = build(60, i * 100 + r)
        before = check(nodes[0], 60)
        root = nodes[0]
        del nodes
        if r % 4 == 0:
            gc.collect()
        if check(root, 60) != before:
            wrong.append("lost")
        del root


run(*[lambda i=i: worker(i) for i in range(N)])
gc.collect()
print(wrong, len(deaths) == N * 12 * 60)
deaths.clear()

# One graph that all change, under a lock for the structure, while one thread collects.
lock = threading.Lock()
graph = build(200, 1)
stop = threading.Event()


def rewire(i):
    seed = i + 1
    for j in range(1500):
        seed = (seed * 1103515245 + 12345) % 2**31
        with lock:
            a = graph[seed % 200]
            a.links.append(graph[seed // 11 % 200])
            if len(a.links) > 6:
                a.links.pop(0)
            if j % 10 == 0:
                graph[seed // 5 % 200] = Node(seed // 5 % 200)
        if a.value != seed % 200:
            wrong.append(a.value)


def collector():
    while not stop.is_set():
        gc.collect()


t = threading.Thread(target=collector)
t.start()
run(*[lambda i=i: rewire(i) for i in range(N)])
stop.set()
t.join()
print(wrong, [n.value for n in graph] == list(range(200)))
graph.clear()
gc.collect()
print(len(deaths) == 200 + N * 150)
deaths.clear()

# Weak references to nodes of rings that one thread drops, another reads, a third collects.
refs = [None] * 50
stop = threading.Event()


def rings():
    for j in range(600):
        a, b = Node(j), Node(-j)
        a.links.append(b)
        b.links.append(a)
        refs[j % 50] = weakref.ref(a)
        a = b = None
    stop.set()


def readers():
    while not stop.is_set():
        for r in refs:
            a = r() if r is not None else None
            if a is not None and (a.links[0].value != -a.value or a.links[0].links[0] is not a):
                wrong.append("torn")
            a = None


run(rings, readers, collector)
gc.collect()
print(wrong, len(deaths), all(r() is None for r in refs))


# Collections asked for by all at once: the sum of what they find is what there was.
class Ring:
    __slots__ = ("next", "__weakref__")


found = []
rings_alive = []


def litter(i):
    for j in range(40):
        first = Ring()
        first.next = Ring()
        first.next.next = first
        rings_alive.append(weakref.ref(first))
        del first
        if j % 8 == 0:
            gc.collect()


run(*[lambda i=i: litter(i) for i in range(N)])
gc.collect()
print(len(rings_alive), sum(r() is not None for r in rings_alive))
