# args: 1
"""Loops and lists of integers: a sieve, a matrix product, sorting with keys."""
import sys
from random import Random


def sieve(n):
    marks = [True] * (n + 1)
    marks[0] = marks[1] = False
    i = 2
    while i * i <= n:
        if marks[i]:
            for j in range(i * i, n + 1, i):
                marks[j] = False
        i += 1
    return sum(marks)


def product(a, b):
    columns = list(zip(*b))
    return [[sum([x * y for x, y in zip(row, column)]) for column in columns] for row in a]


def main(scale):
    print(sieve(60000 * scale))
    random = Random(5)
    n = 8 * scale
    a = [[random.randrange(100) for _ in range(n)] for _ in range(n)]
    print(sum(map(sum, product(a, a))))
    data = [random.random() for _ in range(20000 * scale)]
    data.sort()
    data.sort(key=lambda x: (x * 1000) % 1)
    print("%.6f" % data[len(data) // 2])
    stack = []
    for i in range(50000 * scale):
        stack.append(i)
        if i % 3 == 0:
            stack.pop()
    print(len(stack), stack[-1])


main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
