# Destruction by reference count: at once, in order, with every kind of holder.
import sys


class Obj:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)


def section(title):
    print("--", title)


section("rebinding and del")
x = Obj("a")
x = Obj("b")
print("rebound")
del x
print("deleted")
section("temporaries")
Obj("temp")
print("after temp")
Obj("attr").name
print(len([Obj("in list")]), "after list")
print(Obj("arg").name, "after arg")
n = Obj("left").name + Obj("right").name
print(n)
section("callee owns its arguments")


def callee(p):
    print("in callee")
    del p
    print("callee end")


callee(Obj("param"))


def keep(p, q=None):
    q = p
    print("keep")


keep(Obj("kept"))
print("returned")
section("locals die on return")


def locals_():
    a = Obj("local")
    return 5


print(locals_())


def returned():
    return Obj("returned")


returned()
print("dropped")
r = returned()
print("bound")
del r
section("containers")
l = [Obj("l0"), Obj("l1")]
l[0] = None
print("item replaced")
l.pop()
print("popped")
l.append(Obj("l2"))
del l[:]
print("cleared", l)
l = [Obj("only")]
l = None
d = {"k": Obj("d1")}
d["k"] = Obj("d2")
print("value replaced")
d.pop("k")
d["k"] = Obj("d3")
d.clear()
d = {Obj("key"): 1}
d.clear()
t = (Obj("t"),)
t = 0
s = {Obj("set")}
s.pop()
o = Obj("outer")
o.child = Obj("child")
o.child = None
print("child gone")
o.child = Obj("child2")
del o
section("consistent before the destructor runs")


class Watch:
    def __init__(self, container):
        self.c = container

    def __del__(self):
        print("sees", len(self.c))


c = []
c.append(Watch(c))
c.append(1)
c.pop(0)
c.insert(0, Watch(c))
c[0] = "new"
c.insert(0, Watch(c))
del c[0]
dd = {}
dd["w"] = Watch(dd)
del dd["w"]
dd["w"] = Watch(dd)
dd["w"] = 0
section("loops")
for v in [Obj("i0"), Obj("i1")]:
    print("loop", v.name)
    v = None
print("after loop", v)
for v in (Obj("g%d" % i) for i in range(2)):
    print("gen loop", v.name)
print("still bound", v.name)
v = None
[w for w in [Obj("comp")]]
print("comprehension done")
section("exceptions")
try:
    raise ValueError(Obj("in exception"))
except ValueError as e:
    print("handling")
print("handled")


def failing():
    big = Obj("failing local")
    raise KeyError("k")


try:
    failing()
except KeyError:
    print("handler: local still alive")
print("after")
saved = None
try:
    failing()
except KeyError as e:
    saved = e
print("saved")
saved.__traceback__ = None
print("traceback dropped")
saved = None


def temps():
    try:
        [Obj("part1"), Obj("part2"), 1 / 0]
    except ZeroDivisionError:
        print("unwound")


temps()
section("closures and defaults")


def make():
    v = Obj("captured")
    return lambda: v


f = make()
print(f().name)
f = None
print("closure gone")


def with_default(p=Obj("default")):
    return p.name


print(with_default())
with_default.__defaults__ = None
print("default replaced")
section("generators")


def gen():
    v = Obj("gen local")
    yield 1
    yield 2


g = gen()
next(g)
g = None
print("generator dropped")
g = gen()
print(list(g))
print("exhausted")
g = None
section("bound methods")


class M:
    def m(self):
        return "m"

    def __del__(self):
        print("del M")


b = M().m
print(b())
b = None
section("getrefcount")
q = Obj("counted")
p = [q, q, q]
before = sys.getrefcount(q)
p.pop()
print(before - sys.getrefcount(q))
p = None
del q
section("swap and unpack")
a, b = Obj("a1"), Obj("b1")
a, b = b, a
print(a.name, b.name)
a = b = None
first, *rest = [Obj("u0"), Obj("u1"), Obj("u2")]
rest = None
print("rest dropped")
first = None
section("end")
