# obj.__class__ and obj.__dict__ assigned, class attributes changed while instances are in use.
import gc
import threading
import weakref


class A:
    kind = "a"

    def who(self):
        return "A", self.kind

    def __len__(self):
        return 1


class B:
    kind = "b"

    def who(self):
        return "B", self.kind

    def __len__(self):
        return 2


o = A()
o.x = 1
print(o.who(), len(o), o.x)
o.__class__ = B
print(o.who(), len(o), o.x, type(o).__name__, isinstance(o, A), isinstance(o, B))
o.y = 2
o.__class__ = A
print(o.__dict__, o.who())


class Slotted:
    __slots__ = ("p", "q")


class SameSlots:
    __slots__ = ("p", "q")


class Other:
    __slots__ = ("p",)


class ListA(list):
    pass


class ListB(list):
    def total(self):
        return sum(self)


s = Slotted()
s.p = 5
for target in (SameSlots, Other, A, int, object, 5, None):
    try:
        s.__class__ = target
        print("changed to", type(s).__name__, s.p)
    except TypeError as e:
        print(e)
v = ListA([1, 2, 3])
v.tag = "t"
v.__class__ = ListB
print(v.total(), v.tag, v)
for bad in (5, "s", [], len):
    try:
        bad.__class__ = A
    except (TypeError, AttributeError) as e:
        print(type(e).__name__, e)

# A state machine of classes.
class Door:
    def __init__(self):
        self.log = []
        self.__class__ = Closed


class Closed(Door):
    def open(self):
        self.log.append("opens")
        self.__class__ = Opened


class Opened(Door):
    def close(self):
        self.log.append("closes")
        self.__class__ = Closed


d = Door()
d.open()
d.close()
d.open()
try:
    d.open()
except AttributeError as e:
    print(e)
print(d.log, type(d).__name__)


# __dict__.
class Plain:
    cls_attr = 0


p = Plain()
p.a, p.b = 1, 2
old = p.__dict__
p.__dict__ = {"c": 3}
print(p.c, hasattr(p, "a"), old, p.__dict__)
old["a"] = 9
print(hasattr(p, "a"))
p.__dict__ = old
print(p.a, p.b, hasattr(p, "c"))
p.__dict__["d"] = 4
print(p.d, sorted(vars(p)))
del p.__dict__
print(p.__dict__, hasattr(p, "a"))
p.e = 5
print(p.__dict__)
q = Plain()
q.__dict__ = p.__dict__
q.shared = "yes"
print(p.shared, p.__dict__ is q.__dict__)
for bad in (5, None, [], "x"):
    try:
        p.__dict__ = bad
    except TypeError as e:
        print(e)


class CountingDict(dict):
    pass


p.__dict__ = CountingDict(z=1)
print(p.z, type(p.__dict__).__name__)
p.w = 2
print(sorted(p.__dict__))


class Thing:
    def __del__(self):
        print("del thing")


p = Plain()
p.t = Thing()
p.__dict__ = {}
print("replaced")
p.t = Thing()
keep = p.__dict__
p.__dict__ = {}
print("kept")
del keep
p.__dict__["self"] = p
r = weakref.ref(p)
del p
gc.collect()
print(r())

# Class attributes at run time: instances, subclasses, special methods follow at once.
class Base:
    pass


class Derived(Base):
    pass


x = Derived()
Base.value = 1
print(x.value, Derived.value)
Derived.value = 2
print(x.value, Base.value)
del Derived.value
print(x.value)
Base.__call__ = lambda self, n: n + 1
print(x(1))
Base.__getitem__ = lambda self, k: k * 2
Base.__repr__ = lambda self: "<" + type(self).__name__ + ">"
Base.__eq__ = lambda self, other: True
print(x[4], repr(x), x == 5, x != 5)
del Base.__getitem__
try:
    x[4]
except TypeError as e:
    print(e)
Base.prop = property(lambda self: 7)
print(x.prop)
try:
    x.prop = 1
except AttributeError as e:
    print(e)
del Base.prop
x.prop = 1
print(x.prop)
Base.__slots__ = ("ignored",)
Base.__name__ = "Renamed"
print(Base.__name__, Base.__qualname__, repr(Derived.__mro__[1]))
try:
    int.x = 1
except TypeError as e:
    print(e)

# From several threads: every read sees one class or the other, never a mixture.
class Left:
    a = b = "left"

    def both(self):
        return self.a, self.b


class Right:
    a = b = "right"

    def both(self):
        return self.a, self.b


shared = Left()
shared.n = 0
stop = threading.Event()
wrong = []


def flip():
    for i in range(3000):
        shared.__class__ = Right if i % 2 else Left
    stop.set()


def read():
    while not stop.is_set():
        if shared.n != 0 or type(shared) not in (Left, Right):
            wrong.append(1)
        if shared.a not in ("left", "right"):
            wrong.append(2)


threads = [threading.Thread(target=t) for t in (flip, read, read)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(wrong)


class Holder:
    pass


holders = [Holder() for _ in range(20)]
start = threading.Barrier(3)


def store(name):
    start.wait()
    for h in holders:
        for i in range(30):
            setattr(h, "%s%d" % (name, i), i)


def replace():
    start.wait()
    for _ in range(50):
        for h in holders:
            h.__dict__


threads = [threading.Thread(target=store, args=("p",)), threading.Thread(target=store, args=("q",)), threading.Thread(target=replace)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print({len(h.__dict__) for h in holders})
