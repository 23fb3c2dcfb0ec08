# Cellular automata: Life on sets, on wrapped lists of lists and on bits of integers must agree; rule 110; Langton's ant.
from collections import Counter

GLIDER_GUN = """
........................O...........
......................O.O...........
............OO......OO............OO
...........O...O....OO............OO
OO........O.....O...OO..............
OO........O...O.OO....O.O...........
..........O.....O.......O...........
...........O...O....................
............OO......................
""".split()


def step_set(cells):
    near = Counter((x + dx, y + dy) for x, y in cells for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)
    return {c for c, n in near.items() if n == 3 or n == 2 and c in cells}


def step_grid(grid):
    h, w = len(grid), len(grid[0])
    return [[int((n := sum(grid[(y + dy) % h][(x + dx) % w] for dy in (-1, 0, 1) for dx in (-1, 0, 1)) - grid[y][x]) == 3 or n == 2 and grid[y][x] == 1)
             for x in range(w)] for y in range(h)]


def step_bits(rows, w):
    full = (1 << w) - 1

    def left(r):
        return (r << 1 | r >> w - 1) & full

    def right(r):
        return (r >> 1 | r << w - 1) & full
    out = []
    for y in range(len(rows)):
        ones = twos = fours = 0
        neighbours = []
        for dy in (-1, 0, 1):
            r = rows[(y + dy) % len(rows)]
            neighbours += [left(r), right(r)] + ([r] if dy else [])
        for n in neighbours:
            carry = ones & n
            ones ^= n
            carry2 = twos & carry
            twos ^= carry
            fours |= carry2
        out.append(twos & ~fours & (ones | rows[y]) & full)
    return out


cells = {(x, y) for y, line in enumerate(GLIDER_GUN) for x, c in enumerate(line) if c == "O"}
sizes = []
for t in range(91):
    if t % 10 == 0:
        sizes.append(len(cells))
    cells = step_set(cells)
print(sizes)

seed, W, H = 7, 20, 16
grid = []
for y in range(H):
    row = []
    for x in range(W):
        seed = seed * 1103515245 + 12345 & 0x7fffffff
        row.append(seed >> 20 & 1)
    grid.append(row)
rows = [sum(v << x for x, v in enumerate(r)) for r in grid]
for t in range(25):
    grid, rows = step_grid(grid), step_bits(rows, W)
    assert rows == [sum(v << x for x, v in enumerate(r)) for r in grid], t
for r in grid:
    print("".join(".O"[v] for v in r))

row = 1
for t in range(12):
    print(format(row, "012b").replace("0", " ").replace("1", "#").rstrip())
    row = sum((110 >> (row >> i - 1 & 7 if i else row << 1 & 7) & 1) << i for i in range(12))

black, x, y, dx, dy = set(), 0, 0, 0, -1
for t in range(2000):
    if (x, y) in black:
        black.remove((x, y))
        dx, dy = dy, -dx
    else:
        black.add((x, y))
        dx, dy = -dy, dx
    x, y = x + dx, y + dy
print(len(black), (x, y), min(black), max(black))
