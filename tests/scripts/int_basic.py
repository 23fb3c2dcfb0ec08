# Integers: arithmetic, signs of division, comparison, bit operations, text.
for a in (-7, -1, 0, 1, 7, 13):
    for b in (-3, -1, 1, 2, 5):
        print(a, b, a + b, a - b, a * b, a // b, a % b, divmod(a, b), a & b, a | b, a ^ b, a < b, a <= b, a == b, a != b, a > b, a >= b)
for a in (-5, 0, 5):
    print(-a, +a, ~a, abs(a), bool(a), not a, a << 3, a >> 1, a ** 2, a ** 3)
print(7 / 2, -7 / 2, 1 / 3, 6 / 3, 2 ** -1, 0 ** 0, (-2) ** 3)
print(int("42"), int("-17"), int(" 12 "), int("1_000"), int("ff", 16), int("0xff", 16), int("0b101", 0), int("0o17", 0), int("z", 36), int("101", 2))
print(int(3.99), int(-3.99), int(True), int(), float(3), int(10 ** 15 + 0.5))
print(hex(255), hex(-255), oct(8), bin(10), bin(-10), hex(0))
print(str(123), repr(-123), "%d %5d|%-5d|%05d|%+d" % (1, 2, 3, 4, 5), "%x %X %o %#x" % (255, 255, 8, 255))
print(0x1F, 0o17, 0b101, 1_000_000, 0xFF_FF)
print((5).bit_length(), (0).bit_length(), (-8).bit_length(), (255).bit_length(), (6).bit_count())
print((1024).to_bytes(2, "big"), (1024).to_bytes(4, "little"), int.from_bytes(b"\x04\x00", "big"), int.from_bytes(b"\xff\xfe", "big", signed=True))
print(pow(2, 10), pow(3, 5, 7), pow(2, 0), pow(3, -1, 7), round(15, -1), round(25, -1), round(1234567, -3), round(7))
print(max(3, 1, 2), min(3, 1, 2), sum([1, 2, 3]), sum([], 5), sum(range(101)))
print(3 < 4 < 5, 3 < 4 > 5, 1 == 1.0, None is None, True + True, True == 1, isinstance(True, int))
print(hash(5), hash(-1), hash(-2), hash(0), hash(True), hash(2 ** 61 - 1), hash(2 ** 61), hash(2 ** 100))
for bad in ("", "x", "1.5", "0x", "--1", "1__0", "_1"):
    try:
        print(int(bad))
    except ValueError as e:
        print("ValueError:", e)
for f in (lambda: 1 // 0, lambda: 1 % 0, lambda: 1 / 0, lambda: divmod(1, 0), lambda: 0 ** -1, lambda: 1 << -1, lambda: 1 + "a",
          lambda: "a" + 1, lambda: 1 < "a", lambda: -"a", lambda: int([]), lambda: int("9", 5), lambda: [] * 1.5, lambda: pow(2, -1, 4)):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__ + ":", e)
x = 10
x += 5; x -= 3; x *= 4; x //= 5; x %= 7; x <<= 4; x >>= 1; x |= 3; x &= 14; x ^= 5; x **= 2
print(x)
x /= 2
print(x)
print((3).real, (3).imag, (3).numerator, (3).denominator, (3).conjugate(), 3 .__add__(4))
