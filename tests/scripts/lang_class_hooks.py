# __init_subclass__, __set_name__, __class_getitem__, __mro_entries__, type(name, bases, dict), __class__ cells.


class Plugin:
    registry = []

    def __init_subclass__(cls, /, name=None, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.registry.append((name or cls.__name__, cls))


class One(Plugin):
    pass


class Two(Plugin, name="second"):
    pass


class Three(Two, name="third"):
    pass


print([(n, c.__name__) for n, c in Plugin.registry])
try:
    class Bad(Plugin, other=1):
        pass
except TypeError as e:
    print(e)
print(len(Plugin.registry))


class Loud:
    def __init_subclass__(cls, **kw):
        print("Loud", cls.__name__, kw)
        super().__init_subclass__()


class Quiet:
    def __init_subclass__(cls, q=0, **kw):
        print("Quiet", cls.__name__, q, kw)
        super().__init_subclass__(**kw)


class Mixed(Quiet, Loud, q=5, r=6):
    pass


# Descriptors that learn their names: a small typed record.
class Field:
    def __init__(self, kind, default=None):
        self.kind = kind
        self.default = default

    def __set_name__(self, owner, name):
        self.name = name
        self.slot = "_" + name
        owner.__dict__.get("fields", owner.fields).append(name)

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return instance.__dict__.get(self.slot, self.default)

    def __set__(self, instance, value):
        if not isinstance(value, self.kind):
            raise TypeError("%s must be %s, not %s" % (self.name, self.kind.__name__, type(value).__name__))
        instance.__dict__[self.slot] = value

    def __delete__(self, instance):
        del instance.__dict__[self.slot]


class Record:
    fields = []

    def __init_subclass__(cls):
        cls.kinds = {name: cls.__dict__[name].kind.__name__ for name in cls.fields if name in cls.__dict__}


class Person(Record):
    fields = []
    name = Field(str)
    age = Field(int, 0)


p = Person()
p.name = "Ann"
print(p.name, p.age, Person.fields, Person.kinds, p.__dict__)
try:
    p.age = "old"
except TypeError as e:
    print(e)
p.age = 5
del p.age
print(p.age, type(Person.age).__name__)
try:
    del p.age
except KeyError as e:
    print("KeyError", e)


class Broken:
    def __set_name__(self, owner, name):
        raise ValueError("no name for me")


try:
    class Uses:
        attribute = Broken()
except Exception as e:
    print(type(e).__name__, type(e.__cause__).__name__)

# A descriptor set later gets no name.
Person.extra = Field(float, 1.5)
try:
    print(Person().extra)
except AttributeError as e:
    print(e)


# Subscripts of classes.
class Vector:
    def __class_getitem__(cls, item):
        return "%s[%s]" % (cls.__name__, getattr(item, "__name__", item))


class Vector3(Vector):
    pass


print(Vector[int], Vector3["n"], Vector[1, 2])
try:
    Person[1]
except TypeError as e:
    print(e)


# Bases that are no classes.
class Template:
    def __init__(self, *parts):
        self.parts = parts

    def __mro_entries__(self, bases):
        print("entries", len(bases))
        return self.parts


class Made(Template(One, Loud), Quiet):
    pass


print([c.__name__ for c in Made.__mro__], len(Made.__orig_bases__), type(Made.__orig_bases__[0]).__name__)


# Classes from calls.
def hello(self):
    return "hello from " + type(self).__name__


T = type("T", (One,), {"hello": hello, "size": 3, "__doc__": "made"})
print(T().hello(), T.size, T.__doc__, T.__module__, T.__qualname__, T.__bases__, Plugin.registry[-1][0])
U = type("U", (T,), dict(__slots__=("a",)), **{"name": "named"})
u = U()
u.a = 1
print(u.a, u.hello(), Plugin.registry[-1][0])


# super() and __class__ in methods, also of nested classes and through decorators.
def twice(function):
    def wrapper(self):
        return function(self) * 2
    return wrapper


class Base:
    def f(self):
        return "base"


class Derived(Base):
    @twice
    def f(self):
        class Inner:
            def g(self):
                return __class__.__name__
        return super().f() + __class__.__name__ + Inner().g()

    @classmethod
    def make(cls):
        return super().__new__(cls)

    @staticmethod
    def own():
        return __class__

    h = lambda self: __class__.__qualname__


print(Derived().f(), Derived.make().__class__.__name__, Derived.own() is Derived, Derived().h())
Renamed = Derived
del Derived
print(Renamed().f())
