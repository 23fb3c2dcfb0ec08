# The iterator protocol and iterators of containers under change.
class Count:
    def __init__(self, n):
        self.i, self.n = 0, n

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i

    def __length_hint__(self):
        return self.n - self.i


c = Count(5)
print(next(c), list(c), list(c), sum(Count(4)), [*Count(3)], tuple(Count(2)), 3 in Count(5), 9 in Count(5), max(Count(7)), sorted(Count(3), reverse=True), dict(zip("abc", Count(9))), set(Count(3)) == {1, 2, 3})
a, b, *d = Count(4)
print(a, b, d, list(map(lambda x: x * x, Count(4))), list(filter(lambda x: x % 2, Count(5))), list(zip(Count(3), Count(2))), list(enumerate(Count(2))), "".join(map(str, Count(5))), any(x == 3 for x in Count(3)), all(Count(3)))
l = [1, 2, 3]
it = iter(l)
print(next(it))
l.append(4)
l[1] = "changed"
print(list(it), list(it), it is iter(it))
l = [1, 2, 3, 4]
out = []
for v in l:
    out.append(v)
    if v == 2:
        l.remove(1)
print(out, l)
l = [1, 2, 3]
for v in l:
    l.clear()
print(v, l)
l = [1, 2, 3]
r = reversed(l)
print(next(r))
l.pop()
print(list(r))
s = iter("añ")
print(next(s), next(s), next(s, "end"))
t = iter((1, 2))
print(list(t), next(t, None))
d = {"a": 1, "b": 2}
k = iter(d)
print(next(k))
d["a"] = 100
print(list(k), list(d.items()), list(reversed(d)))
k = iter(d)
next(k)
d["c"] = 3
for _ in range(2):
    try:
        next(k)
    except RuntimeError as e:
        print(e)
    except StopIteration:
        print("stop")
i = iter(range(3))
print(next(i), list(i), i.__length_hint__() if hasattr(i, "__length_hint__") else 0, iter([1, 2, 3]).__length_hint__())
calls = [0]


def source():
    calls[0] += 1
    return calls[0]


print(list(iter(source, 4)), calls)


class OldStyle:
    def __init__(self, data):
        self.data = data

    def __getitem__(self, i):
        return self.data[i]


print(list(OldStyle("abc")), "b" in OldStyle("abc"), [x for x in OldStyle([1, 2])], list(reversed([*OldStyle((1, 2))])))


class OldLen(OldStyle):
    def __len__(self):
        return len(self.data)


print(list(reversed(OldLen("xyz"))))


class NotIter:
    __iter__ = None


for bad in (lambda: iter(NotIter()), lambda: iter(5), lambda: next(5), lambda: list(OldStyle(5)), lambda: [x for x in NotIter()], lambda: 5 in 5, lambda: [*5], lambda: dict(zip(5, "a"))):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)


class Raises:
    def __iter__(self):
        return self

    def __next__(self):
        raise ValueError("from next")


for use in (list, tuple, set, sum, max, sorted, lambda r: [x for x in r], lambda r: "".join(r), lambda r: dict.fromkeys(r), lambda r: list(map(str, r)), lambda r: 1 in r, lambda r: bytes(r), lambda r: [].extend(r)):
    try:
        use(Raises())
    except ValueError as e:
        print(e, end="; ")
print()
z = zip([1, 2, 3], iter([1]))
print(list(z))
x = iter([1, 2, 3, 4, 5, 6])
print(list(zip(x, x, x)))
m = map(lambda a, b: (a, b), "abc", [1, 2])
print(list(m), list(m))
e = enumerate(iter("xyz"), 10)
print(next(e), dict(e))
nested = iter([iter([1, 2]), iter([3])])
print([v for inner in nested for v in inner])
big = iter(range(100000))
n = 0
for v in big:
    n += v
print(n, next(big, "exhausted"))
