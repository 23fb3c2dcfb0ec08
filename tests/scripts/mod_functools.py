# functools and operator.
import functools
import operator
from functools import partial, reduce, wraps, lru_cache, cmp_to_key, total_ordering, cached_property


def partials():
    p = partial(int, base=2)
    print(p("1010"), p.func is int, p.args, p.keywords)
    q = partial(partial(lambda *a, **k: (a, k), 1, x=1), 2, y=2)
    print(q(3, z=3), q.args, q.keywords)
    try:
        partial(5)
    except TypeError as error:
        print("TypeError:", error)
    try:
        partial()
    except TypeError:
        print("TypeError")
    print(partial(max, 5)(3), list(map(partial(operator.add, 10), [1, 2])))


def reduces():
    print(reduce(operator.add, [1, 2, 3]), reduce(lambda a, b: a + b, [], "start"), reduce(max, [3, 9, 2]))
    try:
        reduce(operator.add, [])
    except TypeError as error:
        print("TypeError:", error)


def wrapping():
    def decorate(function):
        @wraps(function)
        def inner(*args):
            "inner doc"
            return function(*args) + 1
        return inner

    @decorate
    def plus(a, b):
        "adds"
        return a + b

    print(plus(1, 2), plus.__name__, plus.__doc__, plus.__wrapped__(1, 2))


def caches():
    calls = []

    @lru_cache(maxsize=2)
    def square(x):
        calls.append(x)
        return x * x

    print([square(x) for x in (1, 2, 1, 3, 2, 1)], calls)
    info = square.cache_info()
    print(info, info.hits)
    square.cache_clear()
    print(square.cache_info(), square.__name__)

    @functools.cache
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    print(fib(60), fib.cache_info())

    @lru_cache
    def bare(x, y=0):
        return x + y

    print(bare(1), bare(1, y=2), bare(x=1), bare.cache_info().misses)

    class Lazy:
        @cached_property
        def value(self):
            calls.append("made")
            return 5

    lazy = Lazy()
    calls.clear()
    print(lazy.value, lazy.value, calls)


def orders():
    print(sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a)))

    @total_ordering
    class Money:
        def __init__(self, n):
            self.n = n

        def __eq__(self, other):
            return self.n == other.n

        def __lt__(self, other):
            return self.n < other.n

    a, b = Money(1), Money(2)
    print(a < b, a <= b, a > b, a >= b, max(a, b).n)


def operators():
    print(operator.itemgetter(1)("abc"), operator.itemgetter(0, 2)("abc"))

    class A:
        class b:
            c = 7
        x = 1

    print(operator.attrgetter("x")(A), operator.attrgetter("b.c", "x")(A))
    print(operator.methodcaller("split", ",")("a,b"), sorted([(1, "b"), (0, "a")], key=operator.itemgetter(0)))
    print(operator.mul(3, 4), operator.contains([1], 1), operator.truth([]), operator.neg(3))


for test in (partials, reduces, wrapping, caches, orders, operators):
    print("--", test.__name__)
    test()
