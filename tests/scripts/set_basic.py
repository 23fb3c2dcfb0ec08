# Sets and frozensets.
def show(s):
    return sorted(s, key=lambda v: (str(type(v)), v))
a, b = {1, 2, 3, 4}, {3, 4, 5}
print(show(a | b), show(a & b), show(a - b), show(a ^ b), a <= b, a < {1, 2, 3, 4, 5}, a >= {1}, a > a, a == {4, 3, 2, 1}, a != b, a.isdisjoint({9}), 2 in a, 9 not in a, len(a))
print(show(a.union(b, [9])), show(a.intersection(b, {4})), show(a.difference(b, {1})), show(a.symmetric_difference(b)), a.issubset({1, 2, 3, 4}), a.issuperset([1, 2]), a.union() == a)
c = a.copy()
c.add(10)
c.add(10)
c.discard(1)
c.discard(99)
c.remove(2)
print(show(c), show(a), set(), set("aab") == {"a", "b"}, show({1} | {2}), bool(set()), bool({0}), set([1, 1.0, True]), show({*[1, 2], *[2, 3]}))
c |= {20}
c &= {3, 4, 20}
c -= {3}
c ^= {4, 5}
print(show(c))
c.update([1], {2}, "x")
c.intersection_update([1, 2, 5])
c.difference_update([5])
c.symmetric_difference_update([2, 7])
print(show(c))
p = {5}
print(p.pop(), p, show({x % 3 for x in range(10)}), show({x for x in "hello" if x != "l"}), {(x, y) for x in range(2) for y in range(1)} == {(0, 0), (1, 0)})
f = frozenset([1, 2])
print(f, frozenset(), show(f | {3}), show({3} | f), type(f | {3}).__name__, type({3} | f).__name__, f == {1, 2}, hash(f) == hash(frozenset([2, 1])), {f: "x"}[frozenset([1, 2])], f in {f}, {1, 2} in {f}, f.copy() is f, frozenset(f) is f, f - {1}, f < {1, 2, 3})
print(sum({1, 2, 3}), max({1, 5}), sorted({"b", "a"}), list({7}), len({None, (), "", 0, False, 0.0}), repr({1}), repr(frozenset({1})), str({"a"}), all({1, 2}), {1, 2}.__contains__(1))
for bad in (lambda: {1}.remove(2), lambda: set().pop(), lambda: {[]}, lambda: {1} | [2], lambda: {1} + {2}, lambda: {1}[0], lambda: set(5), lambda: {1} < [1], lambda: frozenset().add(1), lambda: hash({1}), lambda: {1}.foo, lambda: {1}.union(5), lambda: {1}.add([]), lambda: [] in {1}):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)
x = {1, 2, 3}
try:
    for v in x:
        x.add(v + 10)
except RuntimeError as e:
    print(e)
big = set()
for i in range(5000):
    big.add(i * 3)
for i in range(0, 5000, 2):
    big.discard(i * 3)
print(len(big), sum(big), 3 in big, 6 in big, len(big & set(range(100))), len(big | set(range(100))))
s = {1, 2}
t = s
s |= {3}
print(t is s, len(t))
s = s | {4}
print(t is s)
e = {1, "a", (2, 3), None}
print(len(e), (2, 3) in e, None in e, {1, 2, 3}.issubset(range(5)), set(range(3)) == set([0, 1, 2]), not set(), {1: 2}.keys() & {1}, {"a"} == {"a": 1}.keys())
seen = set()
print([v for v in [3, 1, 3, 2, 1] if not (v in seen or seen.add(v))])
