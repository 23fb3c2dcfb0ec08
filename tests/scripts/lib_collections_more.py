# collections: namedtuple in full, OrderedDict, ChainMap, Counter, defaultdict, UserDict and friends.
import gc
import weakref
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, UserString, defaultdict, deque, namedtuple
from collections.abc import MutableMapping, Mapping, MutableSequence, Sequence


def attempt(function, *args, **kw):
    try:
        print(repr(function(*args, **kw)))
    except (TypeError, ValueError, AttributeError, KeyError, IndexError) as e:
        print(type(e).__name__, e)


P = namedtuple("P", "x y z", defaults=(7, 8))
p = P(1)
print(p, p.x, p[1], p._asdict(), P._fields, P._field_defaults, p == (1, 7, 8), P(*[1, 2, 3]), P(z=0, x=5), len(p), hash(p) == hash((1, 7, 8)))
x, *rest = p
print(x, rest, p._replace(y=0), P._make("abc"), p + (9,), isinstance(p, tuple), P.__name__, P.__doc__, "%s-%s-%s" % p)
for bad in (lambda: P(), lambda: P(1, 2, 3, 4), lambda: P(1, x=2), lambda: P(1, w=2), lambda: p._replace(w=1), lambda: P._make([1]),
            lambda: namedtuple("Q", "a a"), lambda: namedtuple("Q", "def b"), lambda: namedtuple("Q", "_a"),
            lambda: namedtuple("Q", ["1a"]), lambda: namedtuple("Q", "a", defaults=[1, 2])):
    attempt(bad)
print(namedtuple("R", "a def _x a 1", rename=True)._fields)


class Point(namedtuple("Point", ["x", "y"])):
    __slots__ = ()

    @property
    def norm(self):
        return (self.x ** 2 + self.y ** 2) ** 0.5

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)


print(Point(3, 4).norm, Point(1, 2) + Point(3, 4), sorted([Point(2, 1), Point(1, 9)]), {Point(0, 0): "origin"}[0, 0])

o = OrderedDict([("a", 1), ("b", 2), ("c", 3)])
o.move_to_end("a")
o["b"] = 9
print(o, list(reversed(o)), o.popitem(last=False), o == {"a": 1, "c": 3}, o == OrderedDict(a=1, c=3), o == OrderedDict(c=3, a=1))
o.move_to_end("a", last=False)
attempt(o.move_to_end, "zz")
print(o.popitem(), len(o), OrderedDict.fromkeys("ab", 0), o | {"n": 1}, o.setdefault("s", 5), o.pop("s"))

base = {"a": 1, "b": 2}
c = ChainMap({}, base)
c["a"] = 10
print(c["a"], base["a"], c["b"], sorted(c), len(c), c.get("z"), "b" in c, dict(c), c.maps)
child = c.new_child({"b": 20})
print(child["b"], child.parents["b"], child.maps[0], list(child.items()) == [(k, child[k]) for k in child])
attempt(lambda: c["zz"])
attempt(c.pop, "b")
del c["a"]
print(c["a"], ChainMap(), bool(ChainMap()), isinstance(c, MutableMapping))

k = Counter("mississippi")
print(k.most_common(2), k["z"], k["s"], sum(k.values()), sorted(k.elements())[:3], k.total(), Counter(a=3) == Counter(a=3, b=0))
k.subtract("sss")
k.update({"m": 5})
print(k, +k, -Counter(a=-2), Counter(a=1, b=5) & Counter(a=3, b=2), Counter(a=1) | Counter(b=2), Counter(a=1) <= Counter(a=2))
k += Counter("zz")
del k["nothing"]
print(k["z"], Counter([1, 1, 2]).most_common(), Counter(dict(x=2)) - Counter(x=1, y=1))

d = defaultdict(list)
d["a"].append(1)
print(d, d["new"], "other" in d, d.get("other"), d.default_factory, defaultdict(None, a=1))
attempt(lambda: defaultdict()["k"])
attempt(defaultdict, 5)
nested = defaultdict(lambda: defaultdict(int))
nested["x"]["y"] += 3
print({k: dict(v) for k, v in nested.items()}, d.copy() == d, type(d.copy()).__name__)

q = deque([1, 2, 3], maxlen=3)
q.append(4)
q.appendleft(0)
q.rotate(1)
print(q, q.maxlen, q.index(2), q.count(9), list(reversed(q)), q + deque([9]), q == deque([3, 0, 2]), deque("ab") < deque("b"))
attempt(q.insert, 0, 1)
attempt(deque().pop)
attempt(deque, [], -1)


class Lower(UserDict):
    def __setitem__(self, key, value):
        super().__setitem__(key.lower(), value)

    def __missing__(self, key):
        return "no " + key


u = Lower({"A": 1}, B=2)
u.update(C=3)
u.setdefault("D", 4)
print(u, u["a"], u["q"], "a" in u, "A" in u, sorted(u), len(u), u == {"a": 1, "b": 2, "c": 3, "d": 4}, u.get("zz", 0))
print(u.pop("a"), u.popitem(), u.copy(), type(u.copy()).__name__, u | {"E": 5}, isinstance(u, Mapping), isinstance(u, dict))


class Evens(UserList):
    def append(self, item):
        if item % 2 == 0:
            super().append(item)


e = Evens([2, 4])
e.append(5)
e.append(6)
print(e, e[0], type(e[:2]).__name__, e + [8], e * 2, 4 in e, e == [2, 4, 6], e < [3], len(e), isinstance(e, MutableSequence))
e.sort(reverse=True)
e.extend([0])
print(e, e.pop(), e.index(4), [x for x in e], e.copy() is e)
s = UserString("Hello")
print(s, s.upper(), type(s.upper()).__name__, s[1:3], s + "!", "ell" in s, s == "Hello", s.find("l"), len(s), s % (), isinstance(s, Sequence))


class Thing:
    pass


def cyc():
    t = Thing()
    t.d = defaultdict(lambda: t)
    t.d["k"]
    t.u = UserDict(t=t)
    t.c = ChainMap({"t": t})
    t.o = OrderedDict(t=t)
    t.q = deque([t])
    t.n = P(t)
    return weakref.ref(t)


r = cyc()
gc.collect()
print(r())
