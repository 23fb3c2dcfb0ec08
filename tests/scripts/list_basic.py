# Lists.
a = [3, 1, 2]
print(a, len(a), a[0], a[-1], a[1:], a[::-1], a + [4], a * 2, 2 * [0], [] * 5, 2 in a, 9 not in a, [1, 2] == [1, 2], [1, 2] < [1, 3], [1] < [1, 0], [2] > [1, 9], [] == [], [1] != [1.0])
a.append(5)
a.extend([6, 7])
a.extend(x for x in "ab")
a.insert(0, "first")
a.insert(-1, "near end")
a.insert(100, "last")
print(a, a.pop(), a.pop(0), a.pop(-2), a, a.index(2), a.count(1))
a.remove(6)
a.reverse()
b = a.copy()
b.clear()
print(a, b, a is not b, bool(b), list("abc"), list(range(3)), list((1, 2)), list({"x": 1}), list(), [*a, *"xy"], [[0] * 2 for _ in range(2)])
n = list(range(10))
n[2:5] = ["x"]
print(n)
n[1:1] = [100, 200]
print(n)
n[::3] = [0] * len(n[::3])
print(n)
n[-2:] = []
n[:2] = "pq"
print(n)
del n[0], n[-1]
del n[1:3]
print(n)
del n[::2]
print(n)
n[:] = [9, 8]
n += [7]
n += "z"
n *= 2
print(n, n[5:1:-2], n[-100:100], n[100:], n[slice(1, 3)])
m = [1, 2]
k = m
m += [3]
print(k, k is m)
m = m + [4]
print(k, m)
nums = [5, 3, 8, -1, 3]
print(sorted(nums), sorted(nums, reverse=True), sorted(nums, key=lambda v: -v), nums)
nums.sort()
print(nums, min(nums), max(nums), sum(nums))
nums.sort(key=abs, reverse=True)
print(nums)
pairs = [("b", 2), ("a", 2), ("c", 1), ("d", 2), ("e", 1)]
print(sorted(pairs, key=lambda p: p[1]), sorted(pairs, key=lambda p: p[1], reverse=True), sorted(pairs))
print(sorted(["b", "B", "a"], key=str.lower), sorted([(1, "b"), (1, "a")]), sorted("hello"), sorted({3: 1, 1: 2}), sorted([True, 0, 2.5, -1]))
self = [1]
self.append(self)
print(self, [[...]] == [[...]], str(self))
print([1, "a", None, 2.5, [1], (2,), {3: 4}, {5}, b"x", True, ...])
x = [1, 2, 3]
for v in x:
    if v < 3:
        x.append(v + 10)
print(x)
it = iter(x)
print(next(it), next(it), list(it), next(it, "end"))
big = []
for i in range(10000):
    big.append(i * i)
print(len(big), big[9999], big[-10000], sum(big[::100]), big[5000:5003])
while big:
    big.pop()
print(big, all([]), any([]), all([1, 0]), any([0, 1]), list(map(str, [1, 2])), list(filter(None, [0, 1, "", "a"])), list(zip([1, 2, 3], "ab")), list(enumerate("ab", 5)), list(reversed([1, 2])))
for bad in (lambda: [][0], lambda: [1][1], lambda: [1][-2], lambda: [].pop(), lambda: [1].pop(5), lambda: [1].remove(2), lambda: [1].index(2), lambda: [1] + (2,), lambda: [1]["a"], lambda: [1][1.0],
            lambda: [1] * "a", lambda: [1] < (1,), lambda: [1] < ["a"], lambda: list(5), lambda: sorted([1, "a"]), lambda: [1].foo, lambda: [1].append(), lambda: [1].append(1, 2), lambda: hash([]), lambda: {[]: 1},
            lambda: [1, 2].sort(5), lambda: sorted([1], foo=2), lambda: [].__len__(5), lambda: max([]), lambda: [1, 2, 3].index(3, 0, 2)):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)
for bad in ("l[5] = 1", "del l[5]", "l[::2] = [1, 2, 3]", "l[0:1] = 5", "l['a'] = 1"):
    l = [1, 2, 3]
    try:
        if bad == "l[5] = 1":
            l[5] = 1
        elif bad == "del l[5]":
            del l[5]
        elif bad == "l[::2] = [1, 2, 3]":
            l[::2] = [1, 2, 3]
        elif bad == "l[0:1] = 5":
            l[0:1] = 5
        else:
            l["a"] = 1
    except Exception as e:
        print(bad, type(e).__name__ + ":", e, l)
print([1, 2, 3].index(3, 1), [1, 2, 1].index(1, 1), [0.0, -0.0] == [0, 0], [float("nan")] == [float("nan")], [1, 2].__contains__(1))
