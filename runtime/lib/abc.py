"""Abstract classes: ABCMeta, which enforces abstract methods and answers isinstance() for registered classes."""

from _weakref import ref as _ref

_registrations = 0  # grows with every register(): answers "no" given before count no more


def abstractmethod(function):
    function.__isabstractmethod__ = True
    return function


class abstractproperty(property):
    __isabstractmethod__ = True


class abstractclassmethod(classmethod):
    __isabstractmethod__ = True


class abstractstaticmethod(staticmethod):
    __isabstractmethod__ = True


class _Data:
    """What an abstract class remembers about others; weak, so that no class is kept alive."""

    __slots__ = ("registry", "yes", "no", "no_since")

    def __init__(self):
        self.registry = set()
        self.yes = set()
        self.no = set()
        self.no_since = 0


class ABCMeta(type):
    def __new__(mcls, name, bases, namespace, /, **kwargs):
        cls = super().__new__(mcls, name, bases, namespace, **kwargs)
        cls._abc_impl = _Data()
        _compute(cls)
        return cls

    def register(cls, subclass):
        """A virtual subclass; usable as a decorator."""
        global _registrations
        if not isinstance(subclass, type):
            raise TypeError("Can only register classes")
        if issubclass(subclass, cls):
            return subclass
        if issubclass(cls, subclass):
            raise RuntimeError("Refusing to create an inheritance cycle")
        registry = cls._abc_impl.registry
        registry.add(_ref(subclass, registry.discard))
        _registrations += 1
        return subclass

    def __instancecheck__(cls, instance):
        subclass = instance.__class__
        if cls.__subclasscheck__(subclass):
            return True
        kind = type(instance)
        return kind is not subclass and cls.__subclasscheck__(kind)

    def __subclasscheck__(cls, subclass):
        if not isinstance(subclass, type):
            raise TypeError("issubclass() arg 1 must be a class")
        data = cls.__dict__["_abc_impl"]
        weak = _ref(subclass)
        if weak in data.yes:
            return True
        now = _registrations
        if data.no_since != now:
            data.no = set()
            data.no_since = now
        elif weak in data.no:
            return False
        answer = cls.__subclasshook__(subclass)
        if answer is NotImplemented:
            answer = cls in subclass.__mro__ or _registered(data, subclass) or _by_subclass(cls, subclass)
        known = data.yes if answer else data.no
        known.add(_ref(subclass, known.discard))
        return bool(answer)


def _compute(cls):
    abstract = set()
    for name, value in cls.__dict__.items():
        if getattr(value, "__isabstractmethod__", False):
            abstract.add(name)
    for base in cls.__bases__:
        for name in getattr(base, "__abstractmethods__", ()):
            if getattr(getattr(cls, name, None), "__isabstractmethod__", False):
                abstract.add(name)
    cls.__abstractmethods__ = frozenset(abstract)


def _registered(data, subclass):
    for weak in data.registry.copy():
        other = weak()
        if other is not None and issubclass(subclass, other):
            return True
    return False


def _by_subclass(cls, subclass):
    for other in type.__subclasses__(cls):
        if issubclass(subclass, other):
            return True
    return False


def update_abstractmethods(cls):
    """After methods were added to cls: decides anew what is abstract."""
    if hasattr(cls, "__abstractmethods__"):
        _compute(cls)
    return cls


def get_cache_token():
    return _registrations


class ABC(metaclass=ABCMeta):
    __slots__ = ()
