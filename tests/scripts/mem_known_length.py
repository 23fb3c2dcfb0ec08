# What is known to be too long is refused at once: a list of a range that no memory could hold is a MemoryError or an
# OverflowError, before the first item is made, and the program goes on.
kept = list(range(3))
for make in (
    lambda: list(range(10**17)),
    lambda: tuple(range(10**17)),
    lambda: sorted(range(10**17)),
    lambda: [*range(10**17)],
    lambda: kept.extend(range(10**17)),
    lambda: list(range(10**30)),
    lambda: [0] * 10**17,
):
    try:
        make()
    except (MemoryError, OverflowError) as e:
        print(type(e).__name__)
print(kept)
kept.extend(range(3))
kept += range(0)
kept[1:1] = range(2)
print(kept, len(list(range(100000))), tuple(range(-3, 3, 2)))
