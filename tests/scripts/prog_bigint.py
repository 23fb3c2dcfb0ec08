# Large numbers at work: digits of pi and e, primes, RSA, square roots, bases, continued fractions.
import math
from fractions import Fraction


def pi_digits(n):
    q, r, t, k, m, x = 1, 0, 1, 1, 3, 3
    while n:
        if 4 * q + r - t < m * t:
            yield m
            n -= 1
            q, r, m = 10 * q, 10 * (r - m * t), (10 * (3 * q + r)) // t - 10 * m
        else:
            q, r, t, k, m, x = q * k, (2 * q + r) * x, t * x, k + 1, (q * (7 * k + 2) + r * x) // (t * x), x + 2


print("".join(map(str, pi_digits(200))))
e = sum(Fraction(1, math.factorial(i)) for i in range(60))
print(int(e * 10**70))


def probably_prime(n, bases=(2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)):
    if n < 2 or any(n % b == 0 and n != b for b in bases):
        return False
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for a in bases:
        if a >= n:
            continue
        x = pow(a, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


print([n for n in range(2, 120) if probably_prime(n)])
print([p for p in range(2, 130) if probably_prime(p) and probably_prime(2**p - 1)])


def next_prime(n):
    n |= 1
    while not probably_prime(n):
        n += 2
    return n


p, q = next_prime(10**40), next_prime(3 * 10**41)
n, phi = p * q, (p - 1) * (q - 1)
public = 65537
private = pow(public, -1, phi)
message = int.from_bytes(b"attack at dawn, bring soup", "big")
secret = pow(message, public, n)
print(p, q)
print(secret)
print(pow(secret, private, n).to_bytes(26, "big"))


def isqrt(n):
    x = 1 << (n.bit_length() + 1) // 2
    while True:
        y = (x + n // x) // 2
        if y >= x:
            return x
        x = y


for k in (2, 3, 5, 7 * 10**50):
    root = isqrt(k * 10**100)
    assert root == math.isqrt(k * 10**100) and root * root <= k * 10**100 < (root + 1) ** 2
    print(root)


def base(n, b):
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    out = ""
    while n:
        n, d = divmod(n, b)
        out = digits[d] + out
    return out or "0"


big = 3**200 - 7
for b in (2, 7, 10, 16, 36):
    assert int(base(big, b), b) == big
print(base(big, 36), hex(big), big.bit_length(), bin(big).count("1"))


def continued(num, den):
    while den:
        a, (num, den) = num // den, (den, num % den)
        yield a


cf = list(continued(isqrt(2 * 10**60), 10**30))
print(cf[:20])
value = Fraction(0)
for a in reversed(cf[:12]):
    value = a + (1 / value if value else 0)
print(value, float(value))


def fib(n):
    """(F(n), F(n + 1)) by doubling."""
    if n == 0:
        return 0, 1
    a, b = fib(n // 2)
    c, d = a * (2 * b - a), a * a + b * b
    return (d, c + d) if n % 2 else (c, d)


print(fib(300)[0], len(str(fib(5000)[0])), fib(5000)[0] % 10**20)
print(math.comb(200, 77), math.gcd(fib(120)[0], fib(90)[0]) == fib(30)[0])
acc = 1
for i in range(1, 300):
    acc = acc * i ^ (acc >> 3)
print(acc % (2**89 - 1), acc.bit_length(), ~acc & 0xffffffff, -acc // 10**300 % 1000)
