# Comprehensions of all kinds.
print([x * 2 for x in range(5)], [x for x in range(10) if x % 2 if x > 3], [(x, y) for x in range(3) for y in range(x)], {x: x * x for x in range(3)}, sorted({x % 3 for x in range(9)}))
print([[y for y in range(x)] for x in range(4)], [x for row in [[1, 2], [3]] for x in row], [a + b for a, b in zip("ab", "cd")], [k for k, (v, w) in {"p": (1, 2)}.items()], {k: [v] for k, v in zip("xy", [1, 2])})
m = [[1, 2, 3], [4, 5, 6]]
print([[row[i] for row in m] for i in range(3)], [sum(c) for c in zip(*m)], [x if x > 2 else -x for row in m for x in row], list(map(list, zip(*m))))
x = "outer"
print([x for x in "ab"], x, [(lambda: x)() for x in "cd"], {x for x in [1]}, {x: 1 for x in "q"}, x)
print([f() for f in [lambda: i for i in range(3)]], [f() for f in [lambda i=i: i for i in range(3)]], [j for i in range(3) for j in [i * i]], [[i, j] for i in range(2) if i for j in "ab" if j != "a"])


def scope(n):
    k = 2
    return [n * k + i for i in range(3)], {i: n for i in range(k)}, sum(n for _ in range(k)), [[n + a for a in range(b)] for b in range(k + 1)]


print(scope(10))


def cells(n):
    fs = [lambda: n + i for i in range(2)]
    n = 100
    return [f() for f in fs]


print(cells(1))


class C:
    size = 3
    grid = [0 for _ in range(size)]
    pairs = {i: j for i, j in [(1, 2)]}


print(C.grid, C.pairs)


def boom(i):
    if i == 2:
        raise ValueError(i)
    return i


try:
    [boom(i) for i in range(5)]
except ValueError as e:
    print("stopped at", e)
for bad in (lambda: [x for x in 5], lambda: {[]: 1 for _ in [1]}, lambda: {[] for _ in [1]}, lambda: [a for a, b in [(1,)]], lambda: [undefined_thing for _ in [1]]):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)
order = []


def it(name, values):
    order.append(name)
    return values


[order.append((a, b)) for a in it("first", [1, 2]) for b in it("second", [3])]
print(order)
g = (order.append("lazy") for _ in it("eager", [1]))
print(order[-1], list(g), order[-1])
print([y := 1, y + 1], [z for v in range(5) if (z := v * v) > 3], z)
print(sum(x * y for x in range(10) for y in range(10) if (x + y) % 3 == 0), len({(a * b) % 7 for a in range(20) for b in range(20)}), max(len(w) for w in "a bb ccc".split()), dict((w, len(w)) for w in ["a", "bb"]))
n = 30
sieve = [True] * n
for i in range(2, n):
    if sieve[i]:
        sieve[i * i::i] = [False for _ in range(i * i, n, i)]
print([i for i in range(2, n) if sieve[i]])
print([i for i in range(1000) if i % 97 == 0], {c: "hello world".count(c) for c in sorted(set("hello world"))})
print([*(i for i in range(3)), *[i for i in "ab"]], [[] for _ in range(2)] == [[], []], [None for _ in range(2)], [(yield_ := i) for i in range(2)])
