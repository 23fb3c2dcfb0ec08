# Tuples and unpacking.
t = (1, "a", 2.5)
print(t, len(t), t[0], t[-1], t[1:], t[::-1], t + (3,), t * 2, (), (1,), 1 in t, (1, 2) == (1, 2), (1, 2) < (1, 3), (1,) < (1, 0), hash((1, 2)) == hash((1, 2)), (1, 2) != [1, 2], t.index("a"), t.count(1), tuple("ab"), tuple([1]), tuple())
a, b, c = t
print(a, b, c)
a, b = b, a
print(a, b)
(a, [b, c]), d = (1, [2, 3]), 4
print(a, b, c, d)
a, *b = [1, 2, 3]
print(a, b)
*a, b = "xyz"
print(a, b)
a, *b, c = range(6)
print(a, b, c)
a, *b, c = (1, 2)
print(a, b, c)
[a, b] = {"k": 1, "l": 2}
print(a, b)
a = b = c = []
print(a is b is c)
x = [0, 0, 0]
i = 0
i, x[i] = 1, 9
print(i, x)
x[0], x[1], x[2] = x[2], x[0], x[1]
print(x)
for k, (p, *q) in [("a", (1, 2, 3)), ("b", "xy")]:
    print(k, p, q)
print([*range(2), *(3, 4)], (*"ab", 1), {*"aa"}, {**{"a": 1}, "b": 2, **{"a": 3}})
def f(*args):
    return args
print(f(*[1, 2], 3, *"xy"), f(*()), f(*{"a": 1}))
for bad in (lambda: t[5], lambda: t["a"], lambda: t + [1], lambda: t.index(9), lambda: (1,) < ("a",), lambda: hash(([],)), lambda: tuple(5), lambda: (1, 2).foo):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)
for value in ((1,), (1, 2, 3), 5, "abc", {}, iter([1, 2, 3]), None):
    try:
        a, b = value
    except Exception as e:
        print(type(e).__name__ + ":", e)
try:
    a, b, *c = (1,)
except ValueError as e:
    print(e)
try:
    a, *b, c, d = "ab"
except ValueError as e:
    print(e)
try:
    t[0] = 1
except TypeError as e:
    print(e)
n = ((1, 2), (3, (4, 5)))
print(n, n[1][1][0], str(n), repr(((),)), max((1, 5), (2, 0)), sorted([(2, "b"), (1, "z"), (2, "a")]), sum((1, 2, 3)), (1, 2) * 0, divmod(7, 2))
s = set()
s.add((1, 2))
print((1, 2) in s, {(1, "a"): "v"}[(1, "a")], (1, 2.0) == (1.0, 2), hash((1, 2.0)) == hash((1.0, 2)), (True, None) == (1, None))
def swap(p):
    x, y = p
    return y, x
print(swap((1, 2)), swap("ab"), *swap([3, 4]))
big = tuple(range(1000))
print(len(big), big[500], big[-1], big[10:15], sum(big), big == tuple(range(1000)))
