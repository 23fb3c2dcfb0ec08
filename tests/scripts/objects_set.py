# set and frozenset.
def s(x):
    return sorted(x, key=repr)


a = {1, 2, 3}; b = {3, 4}
print(s(a | b), s(a & b), s(a - b), s(a ^ b), a <= {1, 2, 3, 4}, a < a, a <= a, a >= {1}, a > {1}, a == {3, 2, 1}, a != b, a.isdisjoint({9}), a.issubset([1, 2, 3]), a.issuperset([1]))
a.add(5); a.discard(99); a.discard(1); a.remove(2); print(s(a), len(a), 5 in a, 1 not in a)
a.update([7, 8], (9,)); a |= {10}; a &= {5, 7, 10, 3}; a -= {3}; a ^= {5, 6}; print(s(a))
print(s(a.union([1], "x")), s({1, 2}.intersection([2, 3], [2])), s({1, 2, 3}.difference([1], [2])), s({1, 2}.symmetric_difference([2, 3])), s(a.copy()), a.copy() is a)
c = {1, 2, 3, 4}; c.intersection_update([1, 2, 9]); print(s(c)); c.difference_update([1]); print(s(c)); c.symmetric_difference_update([2, 5]); print(s(c))
print(set(), {1}, frozenset(), frozenset([1]), set("a"), repr({"x"}), {1: 2}.keys() | {3})
f = frozenset([1, 2]); print(f == {1, 2}, hash(f) == hash(frozenset([2, 1])), {f: "k"}[frozenset([1, 2])], s(f | {3}), type(f | {3}).__name__, type({3} | f).__name__, frozenset(f) is f, f.copy() is f, {1, 2} in {frozenset([1, 2])})
for g in (lambda: set().pop(), lambda: {1}.remove(2), lambda: {[]}, lambda: set(5), lambda: {1} | [2], lambda: hash(set()), lambda: {1} < [2], lambda: set([[1]]), lambda: frozenset([1]).add(2), lambda: set(1, 2)):
    try:
        print(g())
    except Exception as e:
        print(type(e).__name__, e)
try:
    x = {1, 2}
    for v in x:
        x.add(v + 10)
except RuntimeError as e:
    print(e)
x = set(range(1000))
while x:
    v = x.pop()
    if v < 500:
        x.discard(v + 1)
print(len(x), len({i % 7 for i in range(100)}), s({c for c in "hello"}), sum(set(range(100))), len({1, 1.0, True}))
y = set(range(10)); y2 = set(y); y.clear(); print(y, len(y2), bool(y), bool(y2), 3 in y2)


class S(set):
    pass


z = S([1, 2]); z.tag = 1; print(s(z), type(z).__name__, z == {1, 2}, z.tag, s(z | {3}), type(z | {3}).__name__, repr(S([1])), repr(S()))
it = iter({1}); print(next(it), next(it, None), list(iter(set())))


class H:
    def __init__(self, v):
        self.v = v

    def __hash__(self):
        return 1

    def __eq__(self, o):
        return self.v == o.v


hs = {H(i % 10) for i in range(50)}; print(len(hs), H(3) in hs, H(30) in hs)
hs.discard(H(3)); print(len(hs), H(3) in hs)
print(s({(1, 2), (3,), "a", None, 2.5, b"b"}), {1} & {2}, {1} - {1}, s({1, 2} & {2: "x"}.keys()), s(set({"k": 1})))
print(s(set([3, 1]) | frozenset([2])), {1, 2} == frozenset([1, 2]), len(set(range(100000))), max({3, 9, 2}), s(set("ab") ^ set("bc")))
