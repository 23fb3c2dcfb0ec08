# args: 1
"""The game of life on sets of pairs: tuples as keys, set operations, comprehensions."""
import sys


def step(live):
    counts = {}
    for x, y in live:
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                if dx or dy:
                    key = (x + dx, y + dy)
                    counts[key] = counts.get(key, 0) + 1
    return {cell for cell, n in counts.items() if n == 3 or (n == 2 and cell in live)}


def main(scale):
    live = {(1, 0), (3, 1), (0, 2), (1, 2), (4, 2), (5, 2), (6, 2)}
    for _ in range(20 * scale):
        live = step(live)
    print(len(live), sorted(live)[:3])


main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
