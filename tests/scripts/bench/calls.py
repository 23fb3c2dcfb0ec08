# args: 1
"""Calls of every kind: positional, keyword, closures, methods, star-arguments."""
import sys


def plain(a, b, c):
    return a + b - c


def defaults(a, b=2, *, c=3):
    return a + b + c


def star(*args, **kwargs):
    return len(args) + len(kwargs)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def adder(n):
    total = n

    def add(x):
        nonlocal total
        total += x
        return total
    return add


class Shape:
    sides = 4

    def __init__(self, size):
        self.size = size

    def area(self):
        return self.size * self.size

    def scale(self, by, add=0):
        return self.size * by + add

    @property
    def outline(self):
        return self.size * self.sides

    @staticmethod
    def unit(x):
        return x

    @classmethod
    def make(cls, size):
        return cls(size)


def main(scale):
    total = fib(17 + scale // 2)
    add = adder(1)
    shape = Shape(3)
    for i in range(20000 * scale):
        total += plain(i, 2, 3) + defaults(i) + defaults(i, c=1)
        total += shape.area() + shape.scale(2, add=i) + shape.outline
        total += Shape.unit(i) + add(1)
        if not i & 7:
            total += star(i, *(1, 2), k=3) + Shape.make(i).area()
    print(total)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
