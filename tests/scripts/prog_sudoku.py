# Exact cover by dancing links on lists of dicts: sudoku, n queens, and tilings.
def solve(columns, rows, chosen):
    """Algorithm X: columns {constraint: set of rows}, rows {row: [constraints]}."""
    if not columns:
        yield list(chosen)
        return
    c = min(columns, key=lambda k: (len(columns[k]), str(k)))
    for r in sorted(columns[c], key=str):
        chosen.append(r)
        removed = select(columns, rows, r)
        yield from solve(columns, rows, chosen)
        deselect(columns, rows, r, removed)
        chosen.pop()


def select(columns, rows, r):
    removed = []
    for j in rows[r]:
        for i in columns[j]:
            for k in rows[i]:
                if k != j:
                    columns[k].remove(i)
        removed.append(columns.pop(j))
    return removed


def deselect(columns, rows, r, removed):
    for j in reversed(rows[r]):
        columns[j] = removed.pop()
        for i in columns[j]:
            for k in rows[i]:
                if k != j:
                    columns[k].add(i)


def cover(rows, constraints):
    columns = {c: set() for c in constraints}
    for r, cs in rows.items():
        for c in cs:
            columns[c].add(r)
    return columns


def sudoku(text):
    grid = [int(c) if c.isdigit() else 0 for c in text if c in "123456789.0"]
    rows = {}
    for cell in range(81):
        r, c = divmod(cell, 9)
        for n in range(1, 10):
            rows[(r, c, n)] = [("cell", r, c), ("row", r, n), ("col", c, n), ("box", r // 3 * 3 + c // 3, n)]
    columns = cover(rows, {c for cs in rows.values() for c in cs})
    for cell, n in enumerate(grid):
        if n:
            select(columns, rows, (cell // 9, cell % 9, n))
    for solution in solve(columns, rows, []):
        for r, c, n in solution:
            grid[r * 9 + c] = n
        return ["".join(map(str, grid[i:i + 9])) for i in range(0, 81, 9)]


for puzzle in ["53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
               "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......"]:
    answer = sudoku(puzzle)
    for line in answer:
        print(line)
    print(all(sorted(line) == list("123456789") for line in answer), all(sorted(col) == list("123456789") for col in zip(*answer)))


def queens(n, column=0, rows=(), up=(), down=()):
    if column == n:
        yield rows
    for r in range(n):
        if r not in rows and r + column not in up and r - column not in down:
            yield from queens(n, column + 1, rows + (r,), up + (r + column,), down + (r - column,))


print([sum(1 for _ in queens(n)) for n in range(1, 8)], next(queens(10)))


def dominoes(w, h):
    rows = {}
    for x in range(w):
        for y in range(h):
            if x + 1 < w:
                rows[(x, y, "-")] = [(x, y), (x + 1, y)]
            if y + 1 < h:
                rows[(x, y, "|")] = [(x, y), (x, y + 1)]
    columns = cover(rows, [(x, y) for x in range(w) for y in range(h)])
    return sum(1 for _ in solve(columns, rows, []))


print([dominoes(w, 4) for w in range(1, 6)], dominoes(3, 3))
