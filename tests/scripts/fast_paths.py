"""What the interpreter does in line: small numbers and their borders, subscripts, slices, loops that unpack."""
import math
import struct

# ---- floats at the borders of what lies in the value itself
edges = [0.0, -0.0, 1.0, -1.0, 0.1, 2.0 ** -255, 2.0 ** -256, 2.0 ** -254, 2.0 ** 256, 2.0 ** 257, 1.5 * 2.0 ** 256,
         math.nextafter(2.0 ** 257, 0), math.nextafter(2.0 ** -255, 1), math.nextafter(2.0 ** -255, 0), 5e-324,
         1.7976931348623157e308, math.inf, -math.inf, math.nan, 1e77, 1e78, 1e-77, 1e-76, 3.0, 2.0 ** 53]
for x in edges:
    print(repr(x), struct.pack(">d", x).hex(), repr(-x), hash(x) if x == x else "", bool(x), x == x, type(x).__name__,
          isinstance(x, float), isinstance(x, int), math.copysign(1, x))
total = 0.0
for x in edges[:8]:
    for y in edges[:8]:
        total += x * y - x + y
        print(x < y, x <= y, x == y, x != y, x > y, x >= y, end=" ")
print(total)
x = 1.0
for i in range(600):
    x *= 0.5
print(x)
for i in range(1200):
    x += x
print(x, x - x, x * 0)
x = -1e300
print(x * x, x + x, -x * x, x - 1e300 * 1e10)
print(0.0 == -0.0, str(0.0 * -1), 0.0 + -0.0, -0.0 - 0.0, -0.0 + -0.0, {0.0: "a", -0.0: "b"}, {1: "i", 1.0: "f", True: "b"})
nan = math.nan
print(nan in [nan], [nan] == [nan], nan == nan, nan != nan, nan < nan, (nan,) == (nan,), {nan: 1}[nan], [float("nan")] == [float("nan")])

# ---- ints and floats together; ints that are and are not small
big = 2 ** 61
for n in (big - 1, big, big + 1, -big, -big - 1, -big + 1, 2 ** 62, 2 ** 53 + 1, 2 ** 53, 2 ** 60):
    print(n, n + 1, n - 1, n * 2, n * -1, -n, n // 3, n % 7, n >> 1, n << 1, n & 255, n | 1, n ^ 5, ~n, hash(n), n == float(n),
          n < float(n), n > float(n), float(n) == n, n / 2, n ** 2)
for n in (0, 1, -1, 3, 2 ** 53, 2 ** 53 + 1, 2 ** 70):
    for x in (0.0, 0.5, -1.0, 3.0, 2.0 ** 53, 1e300, math.inf, nan):
        print(n < x, n <= x, n == x, n != x, n > x, n >= x, x < n, x == n, end=" ")
print()
print([int(x) + d for x in (2.0 ** 61, -2.0 ** 61, 2.0 ** 61 - 512, 2.0 ** 62, -2.0 ** 63, 1e30) for d in (-1, 0, 1)])
print([int(t) for t in ("2305843009213693951", "2305843009213693952", "-2305843009213693952", "-2305843009213693953")],
      list(range(2 ** 61 - 2, 2 ** 61 + 2)), list(range(-2 ** 61 + 1, -2 ** 61 - 2, -1)), len(range(2 ** 62)), [2 ** 61 - 1][0] + 1)
print(1 + 0.5, 0.5 + 1, 1 - 0.5, 0.5 - 1, 3 * 0.5, 0.5 * 3, 7 / 2, 7.0 // 2, -7 // 2.0, 7 % 2.5, 2 ** 0.5, 2 ** -1, True + 0.5, 0.5 + True)
print(6 / 3, (2 ** 53 + 1) / 1, 1 / 3, -1 / 3, (2 ** 61) / 7, sum([0.5, 1, 2.5, True]), sum([0.1] * 10), max(1, 1.5), min(2.5, 2))
for text in ("1 / 0", "1.0 / 0", "1 // 0", "1.5 % 0", "2.0 ** 5000", "(1.5)()", "1.5[0]", "1.5 < 'a'", "1.5 + 'a'", "1.5 & 1", "len(1.5)",
             "[1][1.0]", "[1, 2][1.5:]", "for_float()", "1.5.x", "'abc'[1.0]", "{}[1.5]", "(1, 2)[1.0]", "range(1.5)", "1.5 in 2.5"):
    try:
        if text == "for_float()":
            for _ in 1.5:
                pass
        print(eval(text) if False else {
            "1 / 0": lambda: 1 / int("0"), "1.0 / 0": lambda: 1.0 / int("0"), "1 // 0": lambda: 1 // int("0"),
            "1.5 % 0": lambda: 1.5 % int("0"), "2.0 ** 5000": lambda: float("2") ** 5000, "(1.5)()": lambda: float("1.5")(),
            "1.5[0]": lambda: float("1.5")[0], "1.5 < 'a'": lambda: 1.5 < "a", "1.5 + 'a'": lambda: 1.5 + "a",
            "1.5 & 1": lambda: float("1.5") & 1, "len(1.5)": lambda: len(1.5), "[1][1.0]": lambda: [1][float(1)],
            "[1, 2][1.5:]": lambda: [1, 2][float("1.5"):], "1.5.x": lambda: float("1.5").x, "'abc'[1.0]": lambda: "abc"[float(1)],
            "{}[1.5]": lambda: {}[1.5], "(1, 2)[1.0]": lambda: (1, 2)[float(1)], "range(1.5)": lambda: range(1.5),
            "1.5 in 2.5": lambda: 1.5 in float("2.5")}[text]())
    except Exception as e:
        print(text, type(e).__name__, e)


class Celsius(float):
    def __add__(self, other):
        return Celsius(float(self) + other)


c = Celsius(1.5)
print(c + 1, type(c + 1).__name__, c * 2, type(c * 2).__name__, c == 1.5, hash(c) == hash(1.5), 1 + c, float(c) + 1, isinstance(c, float))


class Constants:
    ratio = 1.5
    count = 3

    def __init__(self):
        self.own = self.ratio * 2


k = Constants()
print(k.ratio, k.count, k.own, Constants.ratio)
Constants.ratio = 2.5
print(k.ratio, Constants().own)
k.ratio = 9.0
print(k.ratio, Constants.ratio)
del k.ratio
print(k.ratio)


# ---- subscripts and slices
items = [1, 2.5, "x", None]
items[0] += 1
items[-1] = items[1]
items[1] = items
print(items[0], items[1] is items, items[2], items[-1], items[-4])
for i in (4, -5, 2 ** 62, -2 ** 62):
    for action in ("get", "set"):
        try:
            if action == "get":
                items[i]
            else:
                items[i] = 1
        except IndexError as e:
            print(e)
table = {1: "one", "two": 2, 2.5: "x"}
table[1] = table["two"]
table[1.0] = 7.5
print(table, table[True], table[2.5])
for key in (3, "three", 3.5, None):
    try:
        table[key]
    except KeyError as e:
        print(repr(e), e.args)
text = "añ€𝄞z"
print(text[0], text[1], text[-1], text[3], text[2:], text[:2], text[1:3], text[10:], text[-2:])
row = list(range(10))
bounds = (None, 0, 1, 3, 9, 10, 20, -1, -3, -10, -20)
print([row[i:j] for i in bounds for j in bounds])
print([tuple(row)[i:j] for i in bounds for j in bounds] == [tuple(row[i:j]) for i in bounds for j in bounds])
print(["0123456789"[i:j] for i in bounds for j in bounds] == ["".join(map(str, row[i:j])) for i in bounds for j in bounds])
print([row[i:j:k] for i in (None, 2, -2) for j in (None, 7, -1) for k in (None, 1, 2, -1, -3)])
for i in (0, 3, -2, 20, None):
    copy = row[:]
    copy[i:i] = [0.5]
    copy[:2] = copy[2::-1]
    copy[5:] = ()
    print(copy)
try:
    row[::0]
except ValueError as e:
    print(e)


class Index:
    def __index__(self):
        print("index", end=" ")
        return 2


class Odd:
    def __getitem__(self, key):
        return key


print(row[Index()], row[Index():], row[:Index()], row[::Index()], Odd()[1:2], Odd()[1:2:3], Odd()[0.5])


# ---- loops that unpack
def triples():
    yield 1, 2, 3
    yield [4, 5, 6]


pairs = {"a": 1, "b": 2.5}
print([(k, v) for k, v in pairs.items()], [(i, x) for i, x in enumerate("ab", 2 ** 61 - 1)], [a + b for a, b in zip([1, 2], (3, 4, 5))])
print([a * b * c for a, b, c in zip([1, 2], [3, 4], [5, 6])], [sum([a, b, c]) for a, b, c in triples()], [x for (x,) in zip("ab")])
for source in (lambda: enumerate("ab"), lambda: pairs.items(), lambda: zip("ab"), lambda: zip("ab", "cd", "ef"), lambda: [[1], [2, 3, 4]],
               lambda: [1.5], lambda: zip("ab", "c", strict=True)):
    try:
        for a, b in source():
            print(a, b)
        print("end")
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
try:
    for key, value in pairs.items():
        pairs[value] = key
except RuntimeError as e:
    print(e)
[a, b], (c, d) = [1, 2.0], [3, 4]
print(a, b, c, d)
for bad in ([], [1], [1, 2, 3], 1.5, "x"):
    try:
        a, b = bad
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
a, b = b, a
print(a, b)
n = 0
while n != 5:
    n += 1
    if n in (2, 3) or n is None:
        continue
    if not n < 5:
        break
print(n)
while not n <= 0:
    n -= 1.5
print(n)
print([i for i in range(3) if i is not None if i not in (1,)], 1 < 2.0 < 3, 1 < 3 < 2.0, "a" == "a" != "b")
