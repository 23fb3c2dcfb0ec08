# itertools.
import threading
from itertools import (count, cycle, repeat, chain, islice, accumulate, takewhile, dropwhile, filterfalse, starmap,
                       compress, pairwise, zip_longest, product, combinations, combinations_with_replacement,
                       permutations, groupby, tee)

c = count()
print([next(c) for _ in range(3)], c, count(5, 2), count(2.5))
print(list(islice(count(10, -3), 4)), list(islice(count(0.5, 0.25), 3)), list(islice(count(2**62 - 2), 4)))
print(list(islice(cycle("ab"), 5)), list(islice(cycle([]), 5)))
print(list(repeat("x", 3)), repeat(1, 2), list(islice(repeat(0), 2)), list(map(pow, [1, 2, 3], repeat(2))))
print(list(chain("ab", [], (1, 2))), list(chain.from_iterable(["ab", "c"])), list(chain()))
print(list(islice("abcdef", 3)), list(islice("abcdef", 2, 4)), list(islice("abcdef", 1, None, 2)), list(islice("ab", 9)))
for bad in (lambda: islice("a", -1), lambda: islice("a", 0, 1, 0), lambda: islice("a", "b"), lambda: count("a")):
    try:
        bad()
    except (ValueError, TypeError) as error:
        print(type(error).__name__ + ":", error)
it = iter(range(10))
print(list(islice(it, 0, 5, 3)), list(it))
print(list(accumulate([1, 2, 3, 4])), list(accumulate([1, 2, 3], lambda a, b: a * b, initial=10)), list(accumulate([])))
print(list(takewhile(lambda x: x < 3, [1, 2, 3, 1])), list(dropwhile(lambda x: x < 3, [1, 2, 3, 1])))
print(list(filterfalse(lambda x: x % 2, range(5))), list(filterfalse(None, [0, 1, ""])), list(starmap(pow, [(2, 3), (3, 2)])))
print(list(compress("abcd", [1, 0, 1, 1])), list(pairwise([1, 2, 3])), list(pairwise([1])))
print(list(zip_longest("ab", [1, 2, 3], fillvalue="-")), list(zip_longest()))
print(list(product("ab", [1, 2])), list(product([0, 1], repeat=2)), list(product()), list(product([], [1])))
print(list(combinations("abcd", 2)), list(combinations([1], 2)), list(combinations([1, 2], 0)))
print(list(combinations_with_replacement("ab", 2)), list(permutations([1, 2, 3], 2)), len(list(permutations(range(5)))))
print([(k, list(g)) for k, g in groupby("aabbbc")], [(k, len(list(g))) for k, g in groupby(range(6), lambda x: x // 4)])
print([k for k, g in groupby([1, 1, 2, 2, 3])])
a, b = tee(iter([1, 2, 3]))
print(next(a), next(a), list(b), list(a), tee([], 0))

# One counter for several threads gives every number once.
numbers = count()
got = [[] for _ in range(4)]


def take(out):
    for _ in range(500):
        out.append(next(numbers))


threads = [threading.Thread(target=take, args=(out,)) for out in got]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(sorted(sum(got, [])) == list(range(2000)))
for bad in (lambda: product([1], repeat=-1), lambda: product([1], repeat="a"), lambda: combinations([1], -1),
            lambda: combinations_with_replacement([1], -1), lambda: permutations([1], -1), lambda: permutations([1], "a"),
            lambda: combinations(5, 1)):
    try:
        bad()
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
print(list(product([1, 2], repeat=0)), list(permutations([1, 2], 0)))
