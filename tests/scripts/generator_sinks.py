# What builtins do with generators that they run to the end: list, tuple, set, sum, any, all, join, extend.
import gc


class D:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)


class H:
    """Equal by number, and says when it is asked."""

    def __init__(self, n):
        self.n = n

    def __hash__(self):
        print("hash", self.n)
        return self.n

    def __eq__(self, other):
        print("eq", self.n)
        return isinstance(other, H) and self.n == other.n or other == self.n


def numbers(n):
    for i in range(n):
        yield i


def logged(n):
    try:
        for i in range(n):
            yield i
    finally:
        print("closed")


print(list(numbers(20)), tuple(numbers(3)), sorted(set(numbers(40)))[-3:], sum(numbers(1000)))
print(sum((2 ** 60 for _ in range(5)), 1), sum(0.5 for _ in range(3)), sum([[1], [2]], []))
print(sum((x for x in [1, 2.5, 3]), 2), sum(x for x in [1 << 59, 1 << 59, 1 << 59, -1]))
print(any(x > 3 for x in numbers(10)), all(x < 3 for x in numbers(10)))
print(any(x for x in [0, "", [], 0.0]), all(x for x in [1, "a", [0]]), any([]), all([]))
print("-".join(str(x) for x in numbers(12)), b"".join(bytes([65 + x]) for x in numbers(3)))
try:
    print("".join(x for x in ["a", 1]))
except TypeError as e:
    print(e)

# It ends early: the generator is closed when it dies, or goes on where it was.
print(any(x == 2 for x in logged(5)))
g = logged(5)
print(any(x == 2 for x in g), next(g), list(g))
g = numbers(6)
next(g)
print(sum(g), list(g), sum(g))

# The list that grows is seen from inside, and may be changed there.
items = [0]


def watching():
    for _ in range(6):
        yield len(items)
        if len(items) == 4:
            items.pop()


items.extend(watching())
print(items)
items = [1, 2]
items[1:1] = (x * 10 for x in items)
items += (x + 1 for x in tuple(items))
print(items)
seen = set()
seen.update(len(seen) for _ in range(10))
print(sorted(seen))

# Keys that are compared by a script.
mixed = set(k for k in [H(1), 1, 2, "a", H(1), 1, "a", 3])
print(len(mixed))
mixed.update(k for k in [1, 2, True, 1.0, "b", (1,), 2 ** 70])
print(len(mixed))


# Errors from inside, from the outside, and StopIteration.
def fails(n):
    for i in range(n):
        yield i
    raise KeyError("end")


def stops():
    yield 1
    raise StopIteration(5)


for consumer in list, set, tuple, sum, all, sorted:
    for source in (lambda: (x + 1 for x in fails(3))), stops, (lambda: (x + "" for x in [1])):
        try:
            print(consumer(source()))
        except (KeyError, RuntimeError, TypeError) as e:
            print(consumer.__name__, type(e).__name__, e, type(e.__cause__).__name__)


# One that is asked for more while it runs.
def again():
    yield 1
    yield next(me)


me = again()
try:
    list(me)
except ValueError as e:
    print(e)


# Values that come back, nested consumers, and delegation.
def inner():
    got = yield "a"
    print("got", got)
    return (yield "b")


def outer():
    result = yield from inner()
    print("result", result)
    yield sum(x for x in numbers(4))
    yield max(len(list(numbers(n))) for n in numbers(5))


print(list(outer()), set(outer()) == {"a", "b", 6, 4})

# Lifetimes: what was yielded lives as long as it is held, what is dropped dies at once.
print(len(list(D(n).name for n in "xy")))
kept = [d for d in (D(n) for n in "pq")]
print(sum(len(d.name) for d in (D(n) for n in "rst")))
print(all(d.name for d in map(D, "uv")))
del kept
gen = (D(n) for n in "mn")
print(len(tuple(gen)))
gc.collect()

# Enumeration, of what changes too.
grows = [1]
for i, x in enumerate(grows):
    if i < 3:
        grows.append(x * 2)
print(grows, [(i, c) for i, c in enumerate("abc", 5)], list(enumerate((1, 2), 2 ** 62)))
big = enumerate([7, 8, 9], (1 << 60) - 1)
for i, x in big:
    print(i, x)
it = enumerate([4, 5])
for i, x in it:
    break
print(next(it), list(it))

# Slices of one list put into another: what goes dies behind the assignment, from the end.
row = [D("a"), D("b"), D("c")]
row[0:2] = [D("d"), D("e")][::-1]
print([d.name for d in row])
row[::2] = [row[2], row[0]]
print([d.name for d in row])
row[:] = row[::-1]
print([d.name for d in row])
row[1:2] = []
print([d.name for d in row])
row[0:0] = row
print([d.name for d in row])
try:
    row[::2] = [1]
except ValueError as e:
    print(e)
same = [1, 2, 3]
same[1:] = same[:2]
same[:] = same
print(same)
row.clear()


# Tuples before tuples.
class T(tuple):
    def __radd__(self, other):
        return "radd", other, tuple(self)


def joined(rest):
    return (1, D("t")) + rest


print(len(joined(())), len(joined((2, 3))), joined(T((4,)))[0])
for wrong in [1], None, "a":
    try:
        joined(wrong)
    except TypeError as e:
        print(e)


# Characters and constants.
class S(str):
    def __eq__(self, other):
        return "mine"

    __hash__ = str.__hash__


for text in "a", "", "ab", S("a"), "\xe9", "\u20ac", 5, None, b"a":
    row = [text == "a", text != "a", text == "", text == "\xe9"]
    try:
        row += [text in "abc", text not in "\u20acxa", text in ""]
    except TypeError as e:
        row.append(str(e))
    print(row)

# Several sequences side by side, of unequal length, and what is dropped when one ends first.
for p, q in zip([1, 2, 3], (4, 5)):
    print(p, q)
for p, q in zip([D("l"), D("m")], (1,)):
    print(p.name, q)
print("ended", p.name)
del p
for p, q, r in zip("ab", [1, 2], (x for x in "cd")):
    print(p, q, r)
try:
    for p, q in zip([1, 2], (3,), strict=True):
        print(p, q)
except ValueError as e:
    print(e)
shrinks = [1, 2, 3, 4]
for p, q in zip(shrinks, shrinks):
    shrinks.pop()
    print(p, q)
