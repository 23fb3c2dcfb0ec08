# Integers beyond 64 bits.
a = 2 ** 64
b = 10 ** 30
print(a, -a, a + 1, a - 1, a * a, a // 3, a % 1000, -a // 7, -a % 7, a // -7, a % -7, divmod(b, a), divmod(-b, a))
print(9223372036854775807 + 1, -9223372036854775808 - 1, 9223372036854775807 * 2, -(-9223372036854775808), abs(-9223372036854775808))
print(4611686018427387903 + 1, 4611686018427387904, -4611686018427387904 - 1, 4611686018427387904 - 1, 3037000500 * 3037000500)
print(1 << 100, (1 << 100) >> 98, -(1 << 100) >> 99, (1 << 64) - 1 & 0xFFFF, a | 1, a ^ (a + 5), ~a, -a & (a - 1), -b | 12345, -b ^ b)
print(hex(a), oct(a), bin(a + 5), hex(-b), int("1" * 60), int("f" * 40, 16), int("-" + "9" * 50), int("1" * 100, 2))
print(a == 2.0 ** 64, a < 1e30, a > 1e10, b == 1e30, b < 1e31, float(a), float(b), a / 3, b / a, 1 / a, a * 1.5, int(1e25), int(-1e25))
print(hash(a), hash(b), hash(-b), a in {a: 1}, {b, 10 ** 30} == {b})
f = 1
for i in range(1, 60):
    f *= i
print(f, len(str(f)), f.bit_length(), f % 61, f // 10 ** 40)
print(pow(7, 200), pow(7, 200, 10 ** 9 + 7), pow(b, 3, a), pow(-b, 3, a), pow(3, 10 ** 20, 1000))
print(3 ** 200 // 3 ** 198, 3 ** 200 % 10 ** 20, divmod(3 ** 200, 7 ** 50), (10 ** 50 + 1) * (10 ** 50 - 1))
x, y = 12345678901234567890123456789, 987654321098765432109876543210
while y:
    x, y = y, x % y
print(x)
print("%d|%40d|%-40d|%x" % (b, b, b, b), f"{b:,} {b:_} {b:e} {b:>35} {a:#x} {-a:+d} {a:b}")
print(sorted([a, -a, 0, b, 5, -b, 2 ** 63, 2 ** 62]), max(a, b), min(-a, -b), sum([a, b, -a]))
print(int(str(3 ** 300)) == 3 ** 300, int(hex(3 ** 300), 16) == 3 ** 300, str(10 ** 100)[:5], len(str(2 ** 3000)))
print((2 ** 100).to_bytes(13, "big"), int.from_bytes(b"\x01" * 12, "little"), (-(2 ** 70)).to_bytes(9, "little", signed=True))
print(round(b + 55, -2), round(10 ** 20 + 5, -1), a.bit_count(), (a - 1).bit_count())
fib = [0, 1]
for _ in range(200):
    fib.append(fib[-1] + fib[-2])
print(fib[200], fib[150] - fib[149] == fib[148])
n = 2 ** 89 - 1
s = 4
for _ in range(87):
    s = (s * s - 2) % n
print(s == 0)
n = 10 ** 40
r = n
while True:
    t = (r + n // r) // 2
    if t >= r:
        break
    r = t
print(r)
for bad in (lambda: a // 0, lambda: a % 0, lambda: float(10 ** 400), lambda: 10 ** 400 / 3, lambda: 1 << a if False else a.to_bytes(3, "big"), lambda: "x" * -a + str(a)[0]):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)
print(10 ** 400 / 10 ** 399, 10 ** 400 // 10 ** 399, 2 ** 1023 * 1.0, -(2 ** 200) / 2 ** 190)
