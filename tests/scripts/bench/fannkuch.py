# args: 1
"""Pancake flips over all permutations: list slices with negative steps, integers."""
import sys


def fannkuch(n):
    count = list(range(1, n + 1))
    perm = list(range(n))
    best = checksum = turns = 0
    r = n
    while True:
        while r != 1:
            count[r - 1] = r
            r -= 1
        first = perm[0]
        if first:
            work = perm[:]
            flips = 0
            while first:
                work[:first + 1] = work[first::-1]
                flips += 1
                first = work[0]
            if flips > best:
                best = flips
            checksum += -flips if turns & 1 else flips
        turns += 1
        while True:
            if r == n:
                return checksum, best
            perm.insert(r, perm.pop(0))
            count[r] -= 1
            if count[r] > 0:
                break
            r += 1


def main(scale):
    print(fannkuch(9 if scale >= 10 else 7))


main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
