# args: 1
"""Spectral norm of an infinite matrix's corner: calls, zip, generator sums."""
import sys


def a(i, j):
    return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)


def times(v):
    return [sum(a(i, j) * x for j, x in enumerate(v)) for i in range(len(v))]


def times_transposed(v):
    return [sum(a(j, i) * x for j, x in enumerate(v)) for i in range(len(v))]


def main(scale):
    n = 32 * scale
    u = [1.0] * n
    for _ in range(2):
        v = times_transposed(times(u))
        u = times_transposed(times(v))
    vv = sum(x * x for x in v)
    uv = sum(x * y for x, y in zip(u, v))
    print("norm %.6f" % (uv / vv) ** 0.5)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
