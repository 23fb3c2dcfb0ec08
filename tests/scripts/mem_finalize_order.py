# The order of destruction: owner before owned, finalizers of a cycle before its parts go, super(), slots, nested collections.
import gc
import weakref

gc.disable()
log = []


class Part:
    def __init__(self, tag):
        self.tag = tag

    def __del__(self):
        log.append("part " + self.tag)


class Owner:
    def __init__(self, tag):
        self.tag = tag
        self.part = Part(tag)

    def __del__(self):
        log.append("owner %s with %s" % (self.tag, self.part.tag))


def flush(what):
    print(what, log)
    log.clear()


o = Owner("1")
o = None
flush("owner first")


class Base:
    def __del__(self):
        log.append("base of " + type(self).__name__)


class Derived(Base):
    def __del__(self):
        log.append("derived")
        super().__del__()


class Silent(Base):
    pass


Derived()
Silent()
flush("super")


class Slots:
    __slots__ = ("a", "b")

    def __del__(self):
        log.append("slots %s" % self.a.tag)


s = Slots()
s.a, s.b = Part("a"), Part("b")
s = None
print(log[0], sorted(log[1:]))
log.clear()


# Weak references work in a finalizer by reference count, and are dead afterwards; callbacks come after it.
class Watched:
    def __del__(self):
        log.append("del, ref %s" % (ref() is self))


w = Watched()
ref = weakref.ref(w, lambda r: log.append("callback %s" % r()))
w = None
flush("weak")


# In a cycle all finalizers come first and see their peers.
class Peer:
    def __init__(self, tag):
        self.tag = tag

    def __del__(self):
        log.append("%s sees %s" % (self.tag, self.other.tag))


a, b = Peer("a"), Peer("b")
a.other, b.other = b, a
a.part = Part("of a")
del a, b
print(log)
gc.collect()
print(sorted(log[:2]), log[2:])
log.clear()


# A finalizer that makes garbage, collects, starts and drops things.
class Busy:
    def __del__(self):
        x = [Part("made in del")]
        x.append(x)
        log.append("busy")
        Owner("inner")


Busy()
flush("busy")
gc.collect()
flush("its garbage")


class Collects:
    def __init__(self):
        self.me = self

    def __del__(self):
        log.append("nested collect %s" % gc.collect())


Collects()
gc.collect()
flush("nested")


# Resurrection of a part of a cycle: all that it reaches stays, each finalizer ran once.
class Lazarus:
    saved = None

    def __init__(self, tag):
        self.tag, self.me = tag, self

    def __del__(self):
        log.append("dies " + self.tag)
        if self.tag == "chief":
            Lazarus.saved = self


chief = Lazarus("chief")
chief.friend = Lazarus("friend")
chief.friend.chief = chief
wr = weakref.ref(chief.friend)
del chief
gc.collect()
log.sort()
flush("cycle")
print(Lazarus.saved.friend.tag, wr() is None or wr() is Lazarus.saved.friend, gc.is_finalized(Lazarus.saved), gc.is_finalized(Lazarus.saved.friend))
Lazarus.saved = None
gc.collect()
flush("silent the second time")


# An instance dict that outlives its object, a bound method that keeps it.
class Plain(Part):
    def method(self):
        return self.tag


p = Plain("plain")
d = p.__dict__
p = None
flush("dict kept")
print(d["tag"])
p = Plain("bound")
m = p.method
p = None
flush("method kept")
print(m())
m = None
flush("method gone")

# Deleting attributes and globals, replacing class attributes.
Plain.shared = Part("shared")
Plain.shared = None
flush("class attribute")
del Plain.shared
deep = None
for i in range(5):
    deep = (Part("level%d" % i), deep)
deep = None
log.sort()
flush("nested tuples")
