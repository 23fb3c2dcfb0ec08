# args: 1
"""All placements of queens: generators in generators, sets, slices."""
import sys


def permutations(items):
    n = len(items)
    if n <= 1:
        yield tuple(items)
        return
    for i in range(n):
        for rest in permutations(items[:i] + items[i + 1:]):
            yield (items[i],) + rest


def queens(n):
    for places in permutations(list(range(n))):
        if n == len(set(p + i for i, p in enumerate(places))) == len(
                set(p - i for i, p in enumerate(places))):
            yield places


def main(scale):
    print(len(list(queens(8 if scale >= 10 else 6))))


main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
