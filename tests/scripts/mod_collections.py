# collections: deque, Counter, defaultdict, OrderedDict, namedtuple, ChainMap.
from collections import deque, Counter, defaultdict, OrderedDict, namedtuple, ChainMap
import collections.abc


def deques():
    d = deque([1, 2, 3])
    d.append(4)
    d.appendleft(0)
    print(d, len(d), bool(d), bool(deque()), d[0], d[-1], d[2])
    print(d.pop(), d.popleft(), list(d), list(reversed(d)))
    d.extend("ab")
    d.extendleft("xy")
    print(d)
    d.rotate(2)
    print(d)
    d.rotate(-3)
    print(d, d.count("a"), d.index("a"), 3 in d, 99 in d)
    d.remove("a")
    d[0] = "first"
    del d[1]
    d.insert(1, "new")
    print(d)
    d.reverse()
    print(d, d.copy() == d, d != deque(), deque([1, 2]) < deque([1, 3]))
    for call in (lambda: deque().pop(), lambda: deque().popleft(), lambda: d[99], lambda: d.remove(99),
                 lambda: d.index(99), lambda: deque(maxlen=-1)):
        try:
            call()
        except Exception as error:
            print(type(error).__name__ + ":", error)
    try:
        hash(d)
    except TypeError:
        print("TypeError")
    m = deque(range(10), maxlen=3)
    print(m, m.maxlen)
    m.append(10)
    print(m)
    m.appendleft(0)
    print(m, deque(maxlen=0), deque([1], 5))
    m.append(m)
    print(repr(m))
    m.clear()
    d = deque([1, 2]) + deque([3])
    d += [4]
    print(d, deque([1, 2]) * 2)
    try:
        for x in d:
            d.append(x)
    except RuntimeError as error:
        print("RuntimeError:", error)
    big = deque()
    for i in range(1000):
        big.append(i)
        if i % 3 == 0:
            big.popleft()
    print(len(big), sum(big), big[0], big[-1])

    class Mine(deque):
        def first(self):
            return self[0]

    print(Mine([5, 6]).first(), Mine([5]))


def counters():
    c = Counter("abracadabra")
    print(c, c["a"], c["z"], c.most_common(2), c.total())
    c.update("zz")
    c.update({"a": 10})
    c["b"] -= 1
    print(sorted(c.items()), sorted(c.elements())[:3])
    del c["nothing"]
    a, b = Counter(x=3, y=1), Counter(x=1, y=2)
    print(a + b, a - b, a | b, a & b)
    a.subtract(b)
    print(a, +a, -a, Counter(), Counter(x=1) == Counter(x=1, y=0), a <= b)
    print(Counter([1, 1, 2]) - Counter([1]), dict(Counter("aab")))
    print(all(v > 0 for v in Counter("abc").values()), Counter("hello").keys() <= set("hello world"))


def defaults():
    d = defaultdict(list)
    d["a"].append(1)
    d["a"].append(2)
    d["b"]
    print(d, d.get("c"), "c" in d, d.default_factory)
    n = defaultdict(int, {"x": 1}, y=2)
    n["z"] += 5
    print(dict(n), n == {"x": 1, "y": 2, "z": 5})
    try:
        defaultdict(None)["k"]
    except KeyError as error:
        print("KeyError:", error)
    try:
        defaultdict(5)
    except TypeError as error:
        print("TypeError:", error)
    print(n.copy(), defaultdict(lambda: "made")["q"])


def ordered():
    d = OrderedDict(a=1, b=2, c=3)
    d.move_to_end("a")
    print(list(d), d)
    d.move_to_end("c", last=False)
    print(list(d), d.popitem(), d.popitem(last=False), OrderedDict())
    print(OrderedDict(a=1, b=2) == OrderedDict(b=2, a=1), OrderedDict(a=1, b=2) == {"b": 2, "a": 1})


def named():
    Point = namedtuple("Point", ["x", "y"])
    p = Point(1, y=2)
    print(p, p.x, p.y, p[0], len(p), p == (1, 2), p._fields, p._asdict(), p._replace(x=5))
    x, y = p
    print(x, y, hash(p) == hash((1, 2)), isinstance(p, tuple), Point._make([3, 4]))
    for call in (lambda: Point(1), lambda: Point(1, 2, 3), lambda: Point(1, z=3), lambda: namedtuple("P", "a a"),
                 lambda: namedtuple("P", "1a"), lambda: namedtuple("P", "_a")):
        try:
            call()
        except (TypeError, ValueError) as error:
            print(type(error).__name__)
    D = namedtuple("D", "a b c", defaults=(2, 3))
    print(D(1), D._field_defaults)
    try:
        p.x = 3
    except AttributeError:
        print("AttributeError")

    class Better(namedtuple("Base", "a b")):
        def total(self):
            return self.a + self.b

    print(Better(1, 2).total(), Better(1, 2))


def chained():
    c = ChainMap({"a": 1}, {"a": 2, "b": 3})
    print(c["a"], c["b"], len(c), sorted(c), "z" in c, c.get("z", 0))
    c["b"] = 9
    print(c.maps, c.new_child({"a": 0})["a"])


for test in (deques, counters, defaults, ordered, named, chained):
    print("--", test.__name__)
    test()
