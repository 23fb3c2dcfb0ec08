# abc: what is abstract, who counts as an instance, and that nothing is kept alive by the caches.
import abc
import gc
import weakref
from abc import ABC, ABCMeta, abstractmethod


class Shape(ABC):
    sides = 0

    @abstractmethod
    def area(self):
        """The area."""

    @property
    @abstractmethod
    def name(self):
        ...

    @classmethod
    @abstractmethod
    def unit(cls):
        ...

    @staticmethod
    @abstractmethod
    def help():
        return "base help"

    def describe(self):
        return "%s of area %s" % (self.name, self.area())


def attempt(function, *args):
    try:
        print(function(*args))
    except TypeError as e:
        print("TypeError:", e)


attempt(Shape)
print(sorted(Shape.__abstractmethods__), Shape.help(), Shape.area.__isabstractmethod__, Shape.name.__isabstractmethod__)


class Half(Shape):
    def area(self):
        return 1

    @classmethod
    def unit(cls):
        return cls()


attempt(Half)


class Square(Half):
    def __init__(self, side=1):
        self.side = side

    def area(self):
        return super().area() * self.side ** 2

    @property
    def name(self):
        return "square"

    @staticmethod
    def help():
        return Shape.help() + "!"


print(Square(3).describe(), Square.unit().area(), Square.help(), Square.__abstractmethods__)


class One(ABC):
    @abstractmethod
    def only(self):
        pass


attempt(One)
One.only = lambda self: 1
attempt(One)
abc.update_abstractmethods(One)
print(type(One()).__name__)


class Property(ABC):
    @property
    def x(self):
        return 1

    @x.setter
    @abstractmethod
    def x(self, value):
        pass


attempt(Property)


# super().__init_subclass__, __new__, metaclass keywords and slots together with ABCMeta.
class Base(metaclass=ABCMeta):
    __slots__ = ("v",)

    def __new__(cls, *args):
        self = super().__new__(cls)
        self.v = args
        return self

    @abstractmethod
    def f(self): ...


class Concrete(Base):
    __slots__ = ()

    def f(self):
        return self.v


print(Concrete(1, 2).f(), hasattr(Concrete(), "__dict__"))
attempt(Base)


# Virtual subclasses.
class Sized(ABC):
    @classmethod
    def __subclasshook__(cls, C):
        if cls is Sized:
            return any(["size" in B.__dict__ for B in C.__mro__]) or NotImplemented
        return NotImplemented


class HasSize:
    size = 3


class Other:
    pass


print(isinstance(HasSize(), Sized), issubclass(HasSize, Sized), isinstance(Other(), Sized))
print(Sized.register(Other) is Other, isinstance(Other(), Sized), issubclass(Other, Sized))


@Shape.register
class Blob:
    pass


print(issubclass(Blob, Shape), isinstance(Blob(), Shape), isinstance(Blob(), Half), issubclass(Blob, Half))
Shape.register(int)
print(isinstance(5, Shape), isinstance(True, Shape), issubclass(str, Shape))
Half.register(str)
print(issubclass(str, Shape), isinstance("s", Half), issubclass(Square, Shape))


class Mid(ABC):
    pass


class Low(Mid):
    pass


try:
    Low.register(Mid)
except RuntimeError as e:
    print(e)
attempt(Mid.register, 5)
attempt(issubclass, 5, Mid)
token = abc.get_cache_token()
Mid.register(dict)
print(abc.get_cache_token() != token, isinstance({}, Mid), isinstance([], Mid))


# Classes that were asked about can go.
class Asked(ABC):
    pass


def ask():
    class Local:
        pass

    class Virtual:
        pass
    Asked.register(Virtual)
    print(isinstance(Local(), Asked), isinstance(Virtual(), Asked))
    return weakref.ref(Local), weakref.ref(Virtual)


refs = ask()
gc.collect()
print([r() for r in refs])


def make():
    class LocalBase(ABC):
        @abstractmethod
        def f(self): ...

    class Impl(LocalBase):
        def f(self):
            return 1
    LocalBase.register(list)
    assert isinstance([], LocalBase) and isinstance(Impl(), LocalBase) and not isinstance(1, LocalBase)
    return weakref.ref(LocalBase), weakref.ref(Impl)


refs = make()
gc.collect()
gc.collect()
print([r() for r in refs])
