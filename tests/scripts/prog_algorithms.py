# Programs: n queens, sieve, matrices, sorting, permutations, shortest paths, game of life, sudoku.
def queens(n):
    def solve(row, cols, d1, d2):
        if row == n:
            return 1
        return sum(solve(row + 1, cols | {c}, d1 | {row + c}, d2 | {row - c}) for c in range(n) if c not in cols and row + c not in d1 and row - c not in d2)
    return solve(0, frozenset(), frozenset(), frozenset())


print([queens(n) for n in range(1, 7)])


def n_queens_gen(n):
    cols = range(n)
    for vec in permutations(cols):
        if n == len({vec[i] + i for i in cols}) == len({vec[i] - i for i in cols}):
            yield vec


def permutations(iterable, r=None):
    pool = tuple(iterable)
    n = len(pool)
    r = n if r is None else r
    indices = list(range(n))
    cycles = list(range(n - r + 1, n + 1))[::-1]
    yield tuple(pool[i] for i in indices[:r])
    while n:
        for i in reversed(range(r)):
            cycles[i] -= 1
            if cycles[i] == 0:
                indices[i:] = indices[i + 1:] + indices[i:i + 1]
                cycles[i] = n - i
            else:
                j = cycles[i]
                indices[i], indices[-j] = indices[-j], indices[i]
                yield tuple(pool[i] for i in indices[:r])
                break
        else:
            return


print(len(list(n_queens_gen(6))), list(permutations("abc"))[:4], len(list(permutations(range(5), 3))))


def quicksort(a):
    if len(a) <= 1:
        return a
    p, *rest = a
    return quicksort([x for x in rest if x < p]) + [p] + quicksort([x for x in rest if x >= p])


def mergesort(a):
    if len(a) < 2:
        return a
    m = len(a) // 2
    l, r, out = mergesort(a[:m]), mergesort(a[m:]), []
    while l and r:
        out.append(l.pop(0) if l[0] <= r[0] else r.pop(0))
    return out + l + r


def heapsort(a):
    a = a[:]

    def sift(lo, hi):
        while (kid := 2 * lo + 1) < hi:
            if kid + 1 < hi and a[kid] < a[kid + 1]:
                kid += 1
            if a[lo] >= a[kid]:
                return
            a[lo], a[kid] = a[kid], a[lo]
            lo = kid
    for i in range(len(a) // 2, -1, -1):
        sift(i, len(a))
    for end in range(len(a) - 1, 0, -1):
        a[0], a[end] = a[end], a[0]
        sift(0, end)
    return a


seed = 42
data = []
for _ in range(200):
    seed = (seed * 1103515245 + 12345) % 2 ** 31
    data.append(seed % 1000)
print(quicksort(data) == mergesort(data) == heapsort(data) == sorted(data), data[:5])


def matmul(a, b):
    return [[sum(x * y for x, y in zip(row, col)) for col in zip(*b)] for row in a]


m = [[1, 1], [1, 0]]
r = [[1, 0], [0, 1]]
n = 90
while n:
    if n & 1:
        r = matmul(r, m)
    m = matmul(m, m)
    n >>= 1
print(r)


def dijkstra(graph, start):
    dist, todo = {start: 0}, {start}
    while todo:
        u = min(todo, key=lambda v: (dist[v], v))
        todo.remove(u)
        for v, w in graph[u].items():
            if v not in dist or dist[u] + w < dist[v]:
                dist[v] = dist[u] + w
                todo.add(v)
    return dist


print(dijkstra({"a": {"b": 7, "c": 3}, "b": {"d": 2}, "c": {"b": 1, "d": 8}, "d": {}}, "a"))


def life(cells, steps):
    for _ in range(steps):
        counts = {}
        for x, y in cells:
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if dx or dy:
                        counts[x + dx, y + dy] = counts.get((x + dx, y + dy), 0) + 1
        cells = {c for c, n in counts.items() if n == 3 or n == 2 and c in cells}
    return cells


print(sorted(life({(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}, 20)))


def solve(grid):
    for r in range(9):
        for c in range(9):
            if grid[r][c] == 0:
                used = set(grid[r]) | {grid[i][c] for i in range(9)} | {grid[r // 3 * 3 + i][c // 3 * 3 + j] for i in range(3) for j in range(3)}
                for v in range(1, 10):
                    if v not in used:
                        grid[r][c] = v
                        if solve(grid):
                            return True
                        grid[r][c] = 0
                return False
    return True


g = [[int(ch) for ch in row] for row in "530070000 600195000 098000060 800060003 400803001 700020006 060000280 000419005 000080079".split()]
print(solve(g), "".join(str(v) for row in g for v in row))


def pi_digits(n):
    q, r, t, k, m, x = 1, 0, 1, 1, 3, 3
    out = []
    while len(out) < n:
        if 4 * q + r - t < m * t:
            out.append(m)
            q, r, m = 10 * q, 10 * (r - m * t), (10 * (3 * q + r)) // t - 10 * m
        else:
            q, r, t, k, m, x = q * k, (2 * q + r) * x, t * x, k + 1, (q * (7 * k + 2) + r * x) // (t * x), x + 2
    return "".join(map(str, out))


print(pi_digits(60))


def mandel(w, h):
    for y in range(h):
        row = ""
        for x in range(w):
            cr, ci = 3.0 * x / w - 2.2, 2.4 * y / h - 1.2
            zr = zi = 0.0
            for i in range(30):
                zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
                if zr * zr + zi * zi > 4:
                    break
            row += " .:-=+*#%@"[i // 3 - 1 if i == 29 else i // 4]
        yield row


print("\n".join(mandel(40, 12)))


def fannkuch(n):
    perm1, count, best, r = list(range(n)), [0] * n, 0, n
    while True:
        while r != 1:
            count[r - 1] = r
            r -= 1
        if perm1[0] != 0 and perm1[n - 1] != n - 1:
            perm, flips = perm1[:], 0
            while k := perm[0]:
                perm[:k + 1] = perm[k::-1]
                flips += 1
            best = max(best, flips)
        while r != n:
            perm1.insert(r, perm1.pop(0))
            count[r] -= 1
            if count[r] > 0:
                break
            r += 1
        else:
            return best
        r += 1 if r == 0 else 0


print(fannkuch(6))
words = "it was the best of times it was the worst of times".split()
index = {}
for i, w in enumerate(words):
    index.setdefault(w, []).append(i)
print(sorted(index.items(), key=lambda kv: (-len(kv[1]), kv[0]))[:4])
print("".join(chr((ord(c) - 97 + 13) % 26 + 97) if c.isalpha() else c for c in "uryyb jbeyq"), "racecar" == "racecar"[::-1], [int(b) for b in bin(37)[2:]])
