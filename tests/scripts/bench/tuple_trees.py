# args: 1
"""Binary trees made, walked and dropped: tuples by the million."""
import sys


def make(depth):
    if depth == 0:
        return (None, None)
    return (make(depth - 1), make(depth - 1))


def check(tree):
    left, right = tree
    if left is None:
        return 1
    return 1 + check(left) + check(right)


def main(scale):
    depth = 15 if scale >= 10 else 9
    lasting = make(depth)
    for d in range(4, depth + 1, 4):
        rounds = 1 << (depth - d + 2)
        total = 0
        for _ in range(rounds):
            total += check(make(d))
        print(rounds, d, total)
    print(check(lasting))


main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
