# Attribute access in all its ways: descriptors, properties, __getattr__ and friends, slots, order of lookups.
import gc
import weakref


class Trace:
    def __init__(self, name):
        self.name = name

    def __get__(self, obj, cls):
        return "%s.__get__(%s, %s)" % (self.name, obj and type(obj).__name__, cls.__name__)


class Data(Trace):
    def __set__(self, obj, value):
        obj.__dict__["log"] = obj.__dict__.get("log", []) + ["set %s %r" % (self.name, value)]

    def __delete__(self, obj):
        obj.__dict__["log"] = obj.__dict__.get("log", []) + ["delete " + self.name]


class C:
    data = Data("data")
    non = Trace("non")
    plain = "class plain"


c = C()
c.__dict__.update(data="instance", non="instance", plain="instance")
print(c.data, c.non, c.plain, C.data, C.non, C.plain)
c.data = 5
del c.data
del c.non
print(c.log, c.non, c.__dict__["data"])
try:
    c.missing
except AttributeError as e:
    print(e, e.name, e.obj is c)
C.data = "replaced on the class"
print(c.data, C.data)


class WithGetattr:
    present = 1

    def __getattr__(self, name):
        if name.startswith("no_"):
            raise AttributeError("refused " + name)
        return "made " + name


w = WithGetattr()
print(w.present, w.other, hasattr(w, "no_x"), getattr(w, "no_x", "default"))
w.other = 5
print(w.other)
try:
    w.no_thing
except AttributeError as e:
    print(e)


class Broken:
    @property
    def prop(self):
        return self.not_there

    def __getattr__(self, name):
        return "fallback for " + name


print(Broken().prop)


class Everything:
    def __getattribute__(self, name):
        if name == "secret":
            raise AttributeError("hidden")
        return object.__getattribute__(self, name)

    def __getattr__(self, name):
        return "from getattr: " + name

    def __setattr__(self, name, value):
        object.__setattr__(self, name.upper(), value)

    def __delattr__(self, name):
        object.__delattr__(self, name.upper())


e = Everything()
e.value = 3
print(e.VALUE, e.secret, e.__dict__)
del e.value
print(e.__dict__, e.value)


class Celsius:
    def __init__(self):
        self._t = 0

    @property
    def t(self):
        """The temperature."""
        return self._t

    @t.setter
    def t(self, value):
        if value < -273:
            raise ValueError("too cold")
        self._t = value

    @t.deleter
    def t(self):
        self._t = None

    f = property(lambda self: self._t * 9 / 5 + 32, doc="Fahrenheit")


x = Celsius()
x.t = 100
print(x.t, x.f, Celsius.t.__doc__, Celsius.f.__doc__, Celsius.t.fget.__name__, Celsius.f.fset)
for bad in (lambda: setattr(x, "t", -300), lambda: setattr(x, "f", 1), lambda: delattr(x, "f")):
    try:
        bad()
    except (ValueError, AttributeError) as e:
        print(type(e).__name__, e)
del x.t
print(x.t)


class Warm(Celsius):
    @Celsius.t.setter
    def t(self, value):
        Celsius.t.fset(self, value + 10)


y = Warm()
y.t = 5
print(y.t, Warm.t is Celsius.t)


class Methods:
    @classmethod
    def cm(cls, *a):
        return cls.__name__, a

    @staticmethod
    def sm(*a):
        return a

    def im(self):
        return type(self).__name__


class Sub(Methods):
    pass


print(Sub.cm(1), Sub().cm(2), Sub.sm(3), Sub().sm(4), Sub().im(), Methods.im(Sub()), Sub.__dict__.get("cm"), type(Methods.__dict__["cm"]).__name__)
bound = Sub().im
print(bound.__self__.__class__.__name__, bound.__func__ is Methods.im, bound())
print(Methods.__dict__["sm"].__func__(7), Methods.__dict__["cm"].__get__(None, Sub)())


class S:
    __slots__ = ("a", "b")
    c = 3

    def __init__(self):
        self.a = 1


s = S()
print(s.a, s.c, S.a.__get__(s, S), type(S.a).__name__, hasattr(s, "b"))
for bad in (lambda: s.b, lambda: setattr(s, "z", 1), lambda: setattr(s, "c", 1), lambda: s.__dict__, lambda: weakref.ref(s), lambda: delattr(s, "b")):
    try:
        bad()
    except (AttributeError, TypeError) as e:
        print(type(e).__name__, e)
del s.a
print(hasattr(s, "a"))


class S2(S):
    __slots__ = ("d", "__weakref__", "__dict__")


t = S2()
t.d, t.free = 4, 5
print(t.a, t.d, t.free, t.__dict__, weakref.ref(t)() is t)


# Descriptors that keep values per instance, weakly.
class PerInstance:
    def __init__(self):
        self.values = weakref.WeakKeyDictionary()

    def __get__(self, obj, cls):
        return self if obj is None else self.values.get(obj)

    def __set__(self, obj, value):
        self.values[obj] = value


class Uses:
    slot = PerInstance()


u, v = Uses(), Uses()
u.slot, v.slot = 1, v
print(u.slot, v.slot is v, len(Uses.slot.values))
del u
gc.collect()
print(len(Uses.slot.values))
v.slot = None
del v
gc.collect()
print(len(Uses.slot.values))


# Private names, dir, vars, delattr on classes.
class Private:
    __x = 1

    def get(self):
        return self.__x, self._Private__x

    def __secret(self):
        pass


print(Private().get(), [n for n in dir(Private) if "rivate" in n], sorted(k for k in vars(Private) if not k.startswith("__")))
Private.attr = 1
del Private.attr
try:
    del Private.attr
except AttributeError as e:
    print(e)
