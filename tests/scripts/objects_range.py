# range, slice, and the builtin iterators.
r = range(10)
print(r, len(r), r[3], r[-1], list(r[2:5]), r[::2], list(r[::-1]), 5 in r, 10 in r, 5.0 in r, "a" in r, r == range(0, 10, 1), range(0) == range(5, 2), hash(range(3)) == hash(range(3)))
print(list(range(5, 0, -2)), range(5, 0, -2), list(range(3, 3)), range(0, 10, 3).index(6), range(10).count(3), list(reversed(range(4))), range(1, 10, 4)[-1], bool(range(0)), range(2).start, range(2).stop, range(2).step)
big = range(2**70, 2**70 + 5)
print(list(big), len(big), big[2], 2**70 + 3 in big, list(reversed(big)), list(range(2**62 - 2, 2**62 + 2)), len(range(0, 2**70, 2**68)), range(-2**65, 2**65, 2**64)[1])
for f in (lambda: range(1, 2, 0), lambda: range(), lambda: range(1.5), lambda: r[20], lambda: r.index(50), lambda: range("a"), lambda: len(range(2**80)), lambda: r["a"]):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
s = slice(1, 10, 2)
print(s, s.start, s.stop, s.step, slice(5), slice(None, 3), s.indices(5), slice(None, None, -1).indices(4), s == slice(1, 10, 2), [0, 1, 2, 3, 4][s], "abcdef"[slice(-2, None)])
try:
    slice(0, 1, 0).indices(5)
except ValueError as e:
    print(e)
print(list(enumerate(["a", "b"])), list(enumerate("ab", start=2)), list(zip()), list(zip([1, 2], [3, 4], [5, 6])), list(map(lambda a, b: a + b, [1, 2], [10, 20, 30])), list(filter(lambda v: v % 2, range(6))), list(reversed("abc")), list(reversed((1, 2))))
try:
    list(zip([1], [1, 2], strict=True))
except ValueError as e:
    print(e)
try:
    list(zip([1, 2], [1], strict=True))
except ValueError as e:
    print(e)
it = iter([1, 2, 3, 4])
print(list(zip(it, it)), next(it, "x"))


class Seq:
    def __getitem__(self, i):
        if i >= 3:
            raise IndexError
        return i * i

    def __len__(self):
        return 3


print(list(Seq()), list(reversed(Seq())), 4 in Seq(), 5 in Seq(), max(Seq()), tuple(Seq()), list(map(str, Seq())))
n = [0]


def tick():
    n[0] += 1
    return n[0]


print(list(iter(tick, 5)), list(enumerate(iter(tick, 8))))
for f in (lambda: iter(5), lambda: next(iter([])), lambda: enumerate(5), lambda: zip(5), lambda: map(str), lambda: reversed({1}), lambda: reversed(5), lambda: filter(None, 5), lambda: next(5)):
    try:
        print(f())
    except BaseException as e:
        print(type(e).__name__, e)
total = 0
for i in range(1000):
    for j in range(i, i + 3):
        total += j
print(total, sum(range(101)), min(range(5, 9)), max(range(5, 9)), sorted(range(5), reverse=True), [*range(3)], dict(enumerate("ab")))
import operator
print(operator.length_hint(iter([1, 2, 3])), operator.length_hint(iter(range(5))), operator.length_hint(iter({1: 2})), operator.length_hint(reversed([1, 2]))) if hasattr(operator, "length_hint") else print("3 5 1 2")
