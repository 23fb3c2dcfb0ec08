# Metaclasses: what runs when, what is passed on, conflicts.


class Meta(type):
    @classmethod
    def __prepare__(mcls, name, bases, **kw):
        return Meta._prepare(name, bases, **kw)


    def _prepare(name, bases, **kw):
        print("prepare", name, [b.__name__ for b in bases], kw)
        return {"injected": 7}

    def __new__(mcls, name, bases, ns, **kw):
        print("new", mcls.__name__, name, sorted([k for k in ns if not k.startswith("__")]), kw)
        cls = super().__new__(mcls, name, bases, ns)
        cls.made_by = mcls.__name__
        return cls

    def __init__(cls, name, bases, ns, **kw):
        print("init", cls.__name__, kw)
        super().__init__(name, bases, ns)

    def __call__(cls, *args, **kw):
        print("call", cls.__name__, args, kw)
        instance = super().__call__(*args, **kw)
        instance.called = True
        return instance

    def shout(cls):
        return cls.__name__.upper()

    @property
    def label(cls):
        return "<" + cls.__name__ + ">"

    def __len__(cls):
        return 42

    def __iter__(cls):
        return iter(["x", "y"])

    def __contains__(cls, item):
        return item == "x"

    def __getitem__(cls, key):
        return (cls.__name__, key)

    def __getattr__(cls, name):
        if name.startswith("magic_"):
            return name[6:]
        raise AttributeError(name)

    def __repr__(cls):
        return "Meta(%s)" % cls.__name__

    def __add__(cls, other):
        return cls.__name__ + "+" + other.__name__

    def __lt__(cls, other):
        return cls.__name__ < other.__name__

    def __bool__(cls):
        return cls.__name__ != "Empty"


class A(metaclass=Meta, option=3):
    x = 1

    def __init__(self, v):
        self.v = v

    def method(self):
        return __class__, super().__repr__()[:9]


class B(A, other="o"):
    pass


class Empty(metaclass=Meta):
    pass


print(type(A), type(B).__name__, isinstance(A, Meta), isinstance(A, type), issubclass(Meta, type), type(Meta))
a = A(5)
print(a.v, a.called, a.injected, A.made_by, a.method()[0])
print(A.shout(), B.label, len(A), list(B), "x" in A, "q" in B, A["k"], A.magic_word, A + B, A < B, bool(A), bool(Empty))
for failing in (lambda: a.shout(), lambda: A.nothing, lambda: a.label, lambda: setattr(A, "label", 1)):
    try:
        print(failing())
    except (AttributeError, TypeError) as e:
        print(type(e).__name__, e)
print(sorted([B, A, Empty])[0], repr(B), str(A), "%s" % B)
print(Meta.__mro__, A.__mro__[1:], A.__class__, Meta.__name__, Meta.__bases__)

# type's own three-argument call picks the most derived metaclass of the bases.
C = type("C", (A,), {"y": 2})
print(type(C).__name__, C.y, C.x)
D = Meta("D", (), {"z": 3})
print(type(D), D.z, D.__module__)


class OtherMeta(type):
    pass


class E(metaclass=OtherMeta):
    pass


try:
    class F(A, E):
        pass
except TypeError as e:
    print(e)


class Both(Meta, OtherMeta):
    pass


class G(A, E, metaclass=Both):
    pass


print(type(G).__mro__)


# A function as metaclass, and one that returns something else.
def build(name, bases, ns, **kw):
    print("build", name, bases, kw)
    return type(name, bases, ns)


class H(metaclass=build, k=1):
    pass


class NotAClass(metaclass=lambda name, bases, ns: (name, sorted([k for k in ns if k[0] != "_"]))):
    p = 1
    q = 2


print(H.__name__, type(H), NotAClass)


# __prepare__ with a dict that watches.
class Watching(dict):
    def __init__(self):
        super().__init__()
        self.order = []

    def __setitem__(self, key, value):
        self.order.append(key)
        super().__setitem__(key, value)

    def __missing__(self, key):
        if key.startswith("auto_"):
            return len(self.order)
        raise KeyError(key)


class Ordered(type):
    @classmethod
    def __prepare__(mcls, name, bases):
        return Watching()

    def __new__(mcls, name, bases, ns):
        cls = super().__new__(mcls, name, bases, ns)
        cls._order = [k for k in ns.order if not k.startswith("__")]
        return cls


class I(metaclass=Ordered):
    first = auto_number
    second = auto_number

    def third(self):
        return len(I._order)
    first = 9
    n = len([first, second])


print(I._order, I.first, I.second, I().third(), I.n)


# Singletons and instance caches by __call__.
class Singleton(type):
    instances = {}

    def __call__(cls, *args):
        key = (cls, args)
        if key not in cls.instances:
            cls.instances[key] = super().__call__(*args)
        return cls.instances[key]


class Config(metaclass=Singleton):
    def __init__(self, name="default"):
        self.name = name


print(Config() is Config(), Config("a") is Config("a"), Config("a") is Config("b"), Config("b").name)


# Metaclass attributes are not instance attributes; class attributes win over plain metaclass attributes.
class M(type):
    who = "meta"
    shared = "meta"


class N(metaclass=M):
    shared = "class"


print(N.who, N.shared, hasattr(N(), "who"), N().shared)
N.who = "set"
print(N.who, M.who)
del N.who
print(N.who)
try:
    class S(type):
        __slots__ = ("a",)
except TypeError as e:
    print(e)
try:
    Meta.__new__(Meta)
except TypeError as e:
    print("TypeError")
try:
    type("X", (int, str), {})
except TypeError as e:
    print(e)
for args in ((1, (), {}), ("X", [], {}), ("X", (), 1), ("X", ()), ()):
    try:
        type(*args)
    except TypeError as e:
        print(e)
