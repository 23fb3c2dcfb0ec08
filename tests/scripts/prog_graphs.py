# Graphs: shortest paths, spanning trees, components, order, flow, colouring; on one pseudo-random graph.
import heapq
from collections import defaultdict, deque

seed = 42


def rnd(n):
    global seed
    seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
    return (seed >> 33) % n


N = 60
graph = defaultdict(dict)
for _ in range(180):
    a, b, w = rnd(N), rnd(N), 1 + rnd(20)
    if a != b:
        graph[a][b] = min(w, graph[a].get(b, 99))


def dijkstra(source):
    dist, done, heap = {source: 0}, set(), [(0, source)]
    while heap:
        d, v = heapq.heappop(heap)
        if v in done:
            continue
        done.add(v)
        for u, w in graph[v].items():
            if d + w < dist.get(u, float("inf")):
                dist[u] = d + w
                heapq.heappush(heap, (d + w, u))
    return dist


def bellman_ford(source):
    dist = {source: 0}
    for _ in range(N):
        for a in list(graph):
            if a in dist:
                for b, w in graph[a].items():
                    dist[b] = min(dist.get(b, float("inf")), dist[a] + w)
    return dist


def floyd():
    inf = float("inf")
    d = [[0 if i == j else graph[i].get(j, inf) for j in range(N)] for i in range(N)]
    for k in range(N):
        row = d[k]
        for i in range(N):
            via = d[i][k]
            if via < inf:
                di = d[i]
                for j in range(N):
                    if via + row[j] < di[j]:
                        di[j] = via + row[j]
    return d


all_pairs = floyd()
for s in range(0, N, 7):
    a, b = dijkstra(s), bellman_ford(s)
    assert a == b == {j: v for j, v in enumerate(all_pairs[s]) if v < float("inf")}
    print(s, len(a), max(a.values()), sum(a.values()))


def components():
    """Tarjan's, with a stack of our own."""
    index, low, on, stack, out, counter = {}, {}, set(), [], [], 0
    for root in range(N):
        if root in index:
            continue
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = counter
        counter += 1
        stack.append(root)
        on.add(root)
        while work:
            v, children = work[-1]
            for u in children:
                if u not in index:
                    index[u] = low[u] = counter
                    counter += 1
                    stack.append(u)
                    on.add(u)
                    work.append((u, iter(sorted(graph[u]))))
                    break
                if u in on:
                    low[v] = min(low[v], index[u])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[v])
                if low[v] == index[v]:
                    part = []
                    while True:
                        u = stack.pop()
                        on.discard(u)
                        part.append(u)
                        if u == v:
                            break
                    out.append(sorted(part))
    return out


parts = components()
print(sorted(map(len, parts), reverse=True), sum(map(len, parts)))
where = {v: i for i, p in enumerate(parts) for v in p}
dag = defaultdict(set)
for a in range(N):
    for b in graph[a]:
        if where[a] != where[b]:
            dag[where[a]].add(where[b])
indegree = {i: 0 for i in range(len(parts))}
for a in list(dag):
    for b in dag[a]:
        indegree[b] += 1
ready = deque(i for i, n in sorted(indegree.items()) if n == 0)
order = []
while ready:
    v = ready.popleft()
    order.append(v)
    for u in sorted(dag[v]):
        indegree[u] -= 1
        if indegree[u] == 0:
            ready.append(u)
print(len(order) == len(parts), all(order.index(a) < order.index(b) for a in list(dag) for b in dag[a]), order[:8])


class Union:
    def __init__(self, n):
        self.up = list(range(n))

    def find(self, x):
        while self.up[x] != x:
            self.up[x] = self.up[self.up[x]]
            x = self.up[x]
        return x

    def join(self, a, b):
        a, b = self.find(a), self.find(b)
        self.up[a] = b
        return a != b


edges = sorted((w, a, b) for a in range(N) for b, w in graph[a].items())
union = Union(N)
tree = [(w, a, b) for w, a, b in edges if union.join(a, b)]
print(len(tree), sum(w for w, a, b in tree), len({union.find(v) for v in range(N)}))


def max_flow(source, sink):
    left = defaultdict(lambda: defaultdict(int))
    for a in range(N):
        for b, w in graph[a].items():
            left[a][b] += w
    flow = 0
    while True:
        came = {source: None}
        queue = deque([source])
        while queue and sink not in came:
            v = queue.popleft()
            for u in sorted(left[v]):
                if left[v][u] > 0 and u not in came:
                    came[u] = v
                    queue.append(u)
        if sink not in came:
            return flow
        path, v = [], sink
        while came[v] is not None:
            path.append((came[v], v))
            v = came[v]
        add = min(left[a][b] for a, b in path)
        for a, b in path:
            left[a][b] -= add
            left[b][a] += add
        flow += add


print([max_flow(0, t) for t in (5, 17, 33, 59)])
neighbours = {v: set(graph[v]) | {a for a in range(N) if v in graph[a]} for v in range(N)}
colours = {}
for v in sorted(range(N), key=lambda v: (-len(neighbours[v]), v)):
    used = {colours[u] for u in neighbours[v] if u in colours}
    colours[v] = next(c for c in range(N) if c not in used)
print(max(colours.values()) + 1, all(colours[a] != colours[b] for a in range(N) for b in neighbours[a]))
