# __slots__.
import weakref


class P:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __repr__(self):
        return f"P({self.x}, {self.y})"


p = P(1, 2)
p.x += 10
print(p, p.x, p.y, P.__slots__, hasattr(p, "__dict__"), hasattr(p, "x"), type(P.x).__name__)
del p.x
print(hasattr(p, "x"), getattr(p, "x", "unset"))
for bad in (lambda: p.x, lambda: p.z, lambda: setattr(p, "z", 1), lambda: delattr(p, "x"), lambda: p.__dict__, lambda: weakref.ref(p), lambda: P.x.__get__(5)):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)
p.x = [p]
print(p.x[0] is p, P.x.__get__(p) is p.x)
P.y.__set__(p, "set by descriptor")
print(p.y)


class Q(P):
    __slots__ = ["z", "__weakref__"]

    def __init__(self):
        super().__init__("qx", "qy")
        self.z = "qz"


q = Q()
r = weakref.ref(q)
print(q.x, q.y, q.z, r() is q, hasattr(q, "__dict__"))
del q
print(r())


class Open(P):
    pass


o = Open(1, 2)
o.extra = 3
print(o.extra, o.__dict__, o.x, weakref.ref(o)() is o)


class One:
    __slots__ = "only"


one = One()
one.only = 1
print(one.only)


class Empty:
    __slots__ = ()


try:
    Empty().x = 1
except AttributeError as e:
    print(e)


class Private:
    __slots__ = ("__v",)

    def __init__(self):
        self.__v = 7

    def get(self):
        return self.__v


print(Private().get())
try:
    class Conflict:
        __slots__ = ("x",)
        x = 1
except ValueError as e:
    print(e)


class WithDict:
    __slots__ = ("a", "__dict__")


w = WithDict()
w.a, w.b = 1, 2
print(w.a, w.b, w.__dict__)


class Node:
    __slots__ = ("next", "value")

    def __init__(self, value, next=None):
        self.value, self.next = value, next


head = None
for i in range(1000):
    head = Node(i, head)
total, n = 0, head
while n is not None:
    total += n.value
    n = n.next
print(total)


class Swap1:
    __slots__ = ("a",)


class Swap2:
    __slots__ = ("a",)


s = Swap1()
s.a = 5
s.__class__ = Swap2
print(type(s).__name__, s.a)
try:
    s.__class__ = P
except TypeError as e:
    print(e)
