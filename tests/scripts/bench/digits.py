# args: 1
"""Digits of pi by a spigot: integers of thousands of bits."""
import sys


def digits():
    q, r, t, k, n, l = 1, 0, 1, 1, 3, 3
    while True:
        if 4 * q + r - t < n * t:
            yield n
            q, r, n = 10 * q, 10 * (r - n * t), 10 * (3 * q + r) // t - 10 * n
        else:
            q, r, t, k, n, l = (q * k, (2 * q + r) * l, t * l, k + 1,
                                (q * (7 * k + 2) + r * l) // (t * l), l + 2)


def main(scale):
    source = digits()
    text = "".join(str(next(source)) for _ in range(120 * scale))
    print(text[-20:])


main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
