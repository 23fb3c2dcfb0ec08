# list and tuple: items, slices, methods, comparison, repr of cycles, sort.
a = [1, 2, 3]
a.append(4); a.extend([5, 6]); a.extend(x for x in (7, 8)); a.insert(0, 0); a.insert(-1, 99); a.insert(100, 9)
print(a, len(a), a[0], a[-1], a[2:5], a[::-1], a[::2], a[-3:], a[5:2], 99 in a, a.index(99), a.count(1))
print(a.pop(), a.pop(0), a.pop(-2), a)
a.remove(99) if 99 in a else None
a.reverse(); print(a, a.copy(), a == a.copy(), a is a.copy())
b = list(range(10))
b[2:5] = ["a"]; print(b)
b[2:3] = [1, 2, 3, 4, 5]; print(b)
b[::2] = [0] * len(b[::2]); print(b)
b[5:5] = ["ins"]; print(b)
del b[0]; del b[-1]; del b[1:3]; print(b)
del b[::2]; print(b)
b[:] = []; print(b)
b += [1, 2]; b *= 3; print(b, [0] * 3, 2 * [1, 2], [1] + [2], b * 0)
c = list(range(8)); del c[::-2]; print(c)
c = list(range(6)); c[1:4] = c; print(c)
c = [1, 2]; c.extend(c); print(c); c += c; print(c)
c[1:1] = "xy"; print(c)
print([1, 2] < [1, 3], [1, 2] < [1, 2, 0], [1, 2] == [1, 2], [1] != [2], [2] > [1, 5], [] < [1], [1, "a"] == [1, "a"])
d = [1]; d.append(d); print(d, repr(d)); t = ([],); t[0].append(t); print(t)
print(sorted([3, 1, 2]), sorted([3, 1, 2], reverse=True), sorted(["b", "A", "c"], key=str.lower), sorted([(1, "b"), (1, "a"), (0, "z")]), sorted("hello"), sorted([2.5, 1, 3]), sorted({3: 1, 1: 2}))
data = [(i % 5, i) for i in range(30)]
print(sorted(data, key=lambda p: p[0])); print(sorted(data, key=lambda p: p[0], reverse=True))
e = [5, 3, 8, 1]; e.sort(); print(e); e.sort(key=lambda v: -v); print(e); e.sort(reverse=True); print(e)
big = [(i * 7919) % 10007 for i in range(5000)]
s = sorted(big); print(s[:5], s[-5:], all(s[i] <= s[i + 1] for i in range(len(s) - 1)), sum(s) == sum(big))
strs = [str(i * 7919 % 1000) for i in range(500)]; strs.sort(); print(strs[:8], strs[-3:])


class Bad:
    def __init__(self, v):
        self.v = v

    def __lt__(self, o):
        if self.v == 7 or o.v == 7:
            raise ValueError("seven")
        return self.v < o.v

    def __repr__(self):
        return "B%d" % self.v


x = [Bad(i) for i in (3, 1, 7, 2)]
try:
    x.sort()
except ValueError as err:
    print("ValueError", err, sorted(b.v for b in x))
y = [3, 2, 1]


def evil(v):
    y.append(v)
    return v


try:
    y.sort(key=evil)
except ValueError as err:
    print("ValueError", err, y)
for f in (lambda: [][0], lambda: [1].index(5), lambda: [].pop(), lambda: [1].pop(5), lambda: [1].remove(2), lambda: [1]["a"], lambda: [1] + (2,), lambda: [3, "a"].sort(), lambda: [1][1.5], lambda: list(5), lambda: [1] < 5, lambda: [1, 2].__getitem__(9)):
    try:
        print(f())
    except Exception as err:
        print(type(err).__name__, err)
try:
    b[::2] = [1, 2, 3, 4, 5]
except ValueError as err:
    print(err)
try:
    a[99] = 1
except IndexError as err:
    print(err)
try:
    a[0:1] = 5
except TypeError as err:
    print(err)
t = (1, 2, 3, 2)
print(t, t[1], t[-1], t[1:], t[::-1], t + (4,), t * 2, 2 in t, t.count(2), t.index(3), len(t), (1,), (), t == (1, 2, 3, 2), t < (1, 3), hash(t) == hash((1, 2, 3, 2)), tuple("ab"), tuple([1, 2]), t is tuple(t))
try:
    t[0] = 1
except TypeError as err:
    print(err)
for f in (lambda: t[10], lambda: t.index(9), lambda: hash(([],)), lambda: t + [1], lambda: tuple(5), lambda: t["a"]):
    try:
        print(f())
    except Exception as err:
        print(type(err).__name__, err)
it = iter([1, 2, 3]); print(next(it), list(it), list(it), next(it, "end"))
g = [1, 2, 3]
seen = []
for v in g:
    seen.append(v)
    if len(g) < 6:
        g.append(v * 10)
print(seen, g)
print(list(reversed([1, 2, 3])), [*range(3), *"ab"], list(map(str, [1, 2])), list(filter(None, [0, 1, "", "a"])), list(zip([1, 2, 3], "ab")), list(enumerate("xy", 5)))


class L(list):
    def total(self):
        return sum(self)


l = L([1, 2, 3]); l.append(4); l.name = "n"
print(l, l.total(), type(l).__name__, type(l[:2]).__name__, l == [1, 2, 3, 4], l.name, isinstance(l, list), len(l))
m = [[0] * 3 for _ in range(2)]; m[0][1] = 5; print(m)
p, *q = [1, 2, 3]; *r, z = "abc"; print(p, q, r, z)
n = []
for i in range(100000):
    n = [n]
k = 0
while n:
    n = n[0]; k += 1
print(k)
deep = ()
for i in range(100000):
    deep = (deep,)
del deep
print("done")
