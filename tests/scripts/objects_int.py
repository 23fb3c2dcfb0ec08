# int: arithmetic of any size, text, bit operations on negatives, rounding, hash.
def show(*a):
    print(*a)

vals = [0, 1, -1, 2, -2, 7, -7, 10, 255, -256, 2**31, -2**31, 2**61 - 1, 2**61, 2**62 - 1, 2**62, -2**62, -2**62 - 1,
        2**63 - 1, 2**63, -2**63, 2**64, 2**64 + 1, -2**64, 10**30, -10**30 + 7, 3**100, -(5**77)]

total = 0
for a in vals:
    for b in vals:
        total = (total * 31 + (a + b) - (a - b) * 3 + a * b) % (10**40 + 7)
        if b:
            q, r = divmod(a, b)
            if q != a // b or r != a % b or q * b + r != a:
                show("divmod wrong", a, b)
            total = (total * 31 + q * 7 + r) % (10**40 + 7)
        total = (total * 31 + (a & b) + (a | b) * 2 + (a ^ b) * 3) % (10**40 + 7)
        if (a < b) + (a == b) + (a > b) != 1 or (a <= b) != (not a > b):
            show("order wrong", a, b)
    total += ~a + -a + abs(a)
show(total)

for a in vals:
    show(a, hex(a), oct(a), bin(a)[:40], a.bit_length(), float(a) if abs(a) < 10**20 else "big")
    for s in (0, 1, 5, 63, 64, 65, 130):
        if (a << s) >> s != a:
            show("shift wrong", a, s)
    show(a >> 1, a >> 62, a >> 64, a >> 200)

show(2**200, (-3)**55, 0**0, pow(3, 200, 1000007), pow(-3, 5, 7), pow(3, -1, 7), pow(2, 1000, 10**20), pow(5, 3, -7))
show(10**18 * 10**18, 123456789012345678901234567890 // 987654321, -123456789012345678901234567890 % 987654321)
show(7 // -2, 7 % -2, -7 // 2, -7 % 2, divmod(-7, 2), divmod(7, -2))
show(1 / 3, 10**400 / 10**399, (2**53 + 1) / 1, 3 / 2**70, -7 / 2, (10**25) / 3, (2**1074) / (2**1073 + 1))
show(int("123"), int("-0x1f", 16), int("0b101", 0), int("  42\n"), int("1_000_000"), int("zz", 36), int("٣٤"))
show(int(3.99), int(-3.99), int(1e20), int(True), int("9" * 50))
for text in ("", "abc", "1__0", "0x", "-", "1 2", "_1", "1_"):
    try:
        show(int(text))
    except ValueError as e:
        show("ValueError", e)
for f in (lambda: 1 // 0, lambda: 1 % 0, lambda: 1 / 0, lambda: divmod(1, 0), lambda: 1 << -1, lambda: 0 ** -1,
          lambda: pow(2, 3, 0), lambda: int([]), lambda: int("5", 99), lambda: 1 + "a", lambda: 10**400 / 3,
          lambda: float(10**400), lambda: int(float("nan")), lambda: int(float("inf")), lambda: pow(2, -1, 4)):
    try:
        show(f())
    except Exception as e:
        show(type(e).__name__, e)
show(round(15, -1), round(25, -1), round(1234567, -3), round(-15, -1), round(5, 2), round(10**30 + 5, -1))
show((1000).to_bytes(2, "big"), (1000).to_bytes(4, "little"), (-2).to_bytes(2, "big", signed=True))
show(int.from_bytes(b"\x01\x00", "big"), int.from_bytes(b"\xff\xfe", "little", signed=True), int.from_bytes(b"\xff" * 20, "big"))
show(hash(0) == hash(0.0), hash(2**61 - 1), hash(2**61), hash(-1), hash(10**30), hash(-(2**64)), hash(1e30) == hash(int(1e30)))
show(True + True, True & False, True | 2, ~True, True ^ True, isinstance(True, int), str(True), repr(False), int(True))
show(5 .real, (5).numerator, (5).denominator, (5).imag, (255).bit_count(), (7).conjugate(), (3).as_integer_ratio())
show(1 == 1.0, 2**53 == float(2**53), 2**53 + 1 == float(2**53), 10**400 > 1e308, -10**400 < float("inf"), 3 < 3.5)

# Big products and quotients, through the parts of Karatsuba and long division.
x = 3**2000 + 12345
y = 7**1500 - 999
p = x * y
show(p % x, p % y, p // x == y, p // y == x, (p + 17) % x, hash(p))
show(len(str(p)), str(p)[:30], str(p)[-30:])
show(int(str(p)) == p, (p >> 1000) << 1000 <= p, p ^ p, p & -p)


class MyInt(int):
    def twice(self):
        return self * 2


m = MyInt(21)
show(m, m.twice(), type(m).__name__, type(m + 1).__name__, m == 21, hash(m) == hash(21), MyInt(2**70) + 1, [1, 2, 3][MyInt(1)])
fact = 1
for i in range(1, 60):
    fact *= i
show(fact)
try:
    str(10**5000)
except ValueError as e:
    show(e)
