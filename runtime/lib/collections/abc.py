"""Abstract classes of containers, iterators and callables; builtin classes are registered with them.

The small ones know their members by the methods that those have (`_known_by`); for the large ones, such as Sequence, a class
derives or is registered, and gets the methods that rest on the abstract ones.
"""

from abc import ABCMeta, abstractmethod
from collections import _ByItems


def _defines(kind, name):
    """Whether the class has the method; one that is set to None says that it has not."""
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name] is not None
    return False


def _known_by(*names):
    """Class decorator: a class with all these methods counts as derived from this one, not from what derives from it."""
    def mark(cls):
        def hook(asked, kind):
            if asked is cls and all([_defines(kind, name) for name in names]):
                return True
            return NotImplemented
        cls.__subclasshook__ = classmethod(hook)
        return cls
    return mark


def _unchanged(cls, item):
    return cls


def _nothing(self):
    while False:
        yield None


def _itself(self):
    return self


def _drain(take, end):
    """Calls take() until it raises `end`."""
    try:
        while True:
            take()
    except end:
        pass


def _occurs(self, value):
    """The `in` of what can only be walked through."""
    for v in self:
        if v is value or v == value:
            return True
    return False


@_known_by("__hash__")
class Hashable(metaclass=ABCMeta):
    __slots__ = ()

    @abstractmethod
    def __hash__(self):
        return 0


@_known_by("__call__")
class Callable(metaclass=ABCMeta):
    __slots__ = ()
    __class_getitem__ = classmethod(_unchanged)

    @abstractmethod
    def __call__(self, *args, **kwds):
        return False


@_known_by("__len__")
class Sized(metaclass=ABCMeta):
    __slots__ = ()

    @abstractmethod
    def __len__(self):
        return 0


@_known_by("__contains__")
class Container(metaclass=ABCMeta):
    __slots__ = ()
    __class_getitem__ = classmethod(_unchanged)

    @abstractmethod
    def __contains__(self, x):
        return False


@_known_by("__iter__")
class Iterable(metaclass=ABCMeta):
    __slots__ = ()
    __class_getitem__ = classmethod(_unchanged)
    __iter__ = abstractmethod(_nothing)


@_known_by("__iter__", "__next__")
class Iterator(Iterable):
    __slots__ = ()
    __iter__ = _itself

    @abstractmethod
    def __next__(self):
        raise StopIteration


@_known_by("__reversed__", "__iter__")
class Reversible(Iterable):
    __slots__ = ()
    __reversed__ = abstractmethod(_nothing)


@_known_by("__len__", "__iter__", "__contains__")
class Collection(Sized, Iterable, Container):
    __slots__ = ()


@_known_by("__await__")
class Awaitable(metaclass=ABCMeta):
    __slots__ = ()

    @abstractmethod
    def __await__(self):
        yield


@_known_by("__aiter__")
class AsyncIterable(metaclass=ABCMeta):
    __slots__ = ()

    @abstractmethod
    def __aiter__(self):
        return None


@_known_by("__anext__", "__aiter__")
class AsyncIterator(AsyncIterable):
    __slots__ = ()
    __aiter__ = _itself

    @abstractmethod
    def __anext__(self):
        raise StopAsyncIteration


# What generators and coroutines have in common.
def _send(self, value):
    raise StopIteration


def _throw(self, typ, val=None, tb=None):
    raise typ if val is None else val


def _closing(what):
    def close(self):
        try:
            self.throw(GeneratorExit)
        except (GeneratorExit, StopIteration):
            return
        raise RuntimeError(what + " ignored GeneratorExit")
    return close


@_known_by("__await__", "send", "throw", "close")
class Coroutine(Awaitable):
    __slots__ = ()
    send = abstractmethod(_send)
    throw = abstractmethod(_throw)
    close = _closing("coroutine")


@_known_by("__iter__", "__next__", "send", "throw", "close")
class Generator(Iterator):
    __slots__ = ()
    send = abstractmethod(_send)
    throw = abstractmethod(_throw)
    close = _closing("generator")

    def __next__(self):
        return self.send(None)


def _set_from(self, other):
    """The operand as a Set, made by the class of `self` if it can only be walked through; else NotImplemented."""
    if isinstance(other, Set):
        return other
    return self._from_iterable(other) if isinstance(other, Iterable) else NotImplemented


class Set(Collection):
    __slots__ = ()

    @classmethod
    def _from_iterable(cls, it):
        return cls(it)

    def _hash(self):
        return hash(frozenset(self))

    def __le__(self, other):
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) <= len(other) and all(item in other for item in self)

    def __ge__(self, other):
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) >= len(other) and all(item in self for item in other)

    def __lt__(self, other):
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) < len(other) and self.__le__(other)

    def __gt__(self, other):
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) > len(other) and self.__ge__(other)

    def __eq__(self, other):
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) == len(other) and self.__le__(other)

    def isdisjoint(self, other):
        return not any(value in self for value in other)

    def __and__(self, other):
        if not isinstance(other, Iterable):
            return NotImplemented
        return self._from_iterable(value for value in other if value in self)

    def __or__(self, other):
        if not isinstance(other, Iterable):
            return NotImplemented
        return self._from_iterable(value for part in (self, other) for value in part)

    def __sub__(self, other):
        other = _set_from(self, other)
        if other is NotImplemented:
            return other
        return self._from_iterable(value for value in self if value not in other)

    def __rsub__(self, other):
        other = _set_from(self, other)
        if other is NotImplemented:
            return other
        return self._from_iterable(value for value in other if value not in self)

    def __xor__(self, other):
        other = _set_from(self, other)
        if other is NotImplemented:
            return other
        return (self - other) | (other - self)

    __rand__ = __and__
    __ror__ = __or__
    __rxor__ = __xor__


class MutableSet(Set):
    __slots__ = ()

    @abstractmethod
    def add(self, value):
        raise NotImplementedError

    @abstractmethod
    def discard(self, value):
        raise NotImplementedError

    def remove(self, value):
        if value not in self:
            raise KeyError(value)
        self.discard(value)

    def pop(self):
        try:
            value = next(iter(self))
        except StopIteration:
            raise KeyError from None
        self.discard(value)
        return value

    def clear(self):
        _drain(self.pop, KeyError)

    def __ior__(self, it):
        for value in it:
            self.add(value)
        return self

    def __iand__(self, it):
        for value in self - it:
            self.discard(value)
        return self

    def __ixor__(self, it):
        if it is self:
            self.clear()
            return self
        if not isinstance(it, Set):
            it = self._from_iterable(it)
        for value in it:
            (self.discard if value in self else self.add)(value)
        return self

    def __isub__(self, it):
        if it is self:
            self.clear()
            return self
        for value in it:
            self.discard(value)
        return self


class Mapping(Collection):
    __slots__ = ()

    @abstractmethod
    def __getitem__(self, key):
        raise KeyError

    def __contains__(self, key):
        try:
            self[key]
        except KeyError:
            return False
        return True

    def __eq__(self, other):
        if not isinstance(other, Mapping):
            return NotImplemented
        return dict(self.items()) == dict(other.items())

    get = _ByItems.get
    __reversed__ = None

    def keys(self):
        return KeysView(self)

    def items(self):
        return ItemsView(self)

    def values(self):
        return ValuesView(self)


class MutableMapping(Mapping):
    __slots__ = ()

    @abstractmethod
    def __setitem__(self, key, value):
        raise KeyError

    @abstractmethod
    def __delitem__(self, key):
        raise KeyError

    pop = _ByItems.pop
    popitem = _ByItems.popitem
    setdefault = _ByItems.setdefault

    def clear(self):
        _drain(self.popitem, KeyError)

    def update(self, other=(), /, **kwds):
        if isinstance(other, Mapping):  # keys() or not
            mapping = other
            other = ((key, mapping[key]) for key in mapping)
        _ByItems.update(self, other, **kwds)


class MappingView(Sized):
    __slots__ = ("_mapping",)

    def __init__(self, mapping):
        self._mapping = mapping

    def __len__(self):
        return len(self._mapping)

    def __repr__(self):
        return "%s(%r)" % (self.__class__.__name__, self._mapping)


class KeysView(MappingView, Set):
    __slots__ = ()

    @classmethod
    def _from_iterable(cls, it):
        return set(it)

    def __contains__(self, key):
        return key in self._mapping

    def __iter__(self):
        yield from self._mapping


class ItemsView(MappingView, Set):
    __slots__ = ()

    @classmethod
    def _from_iterable(cls, it):
        return set(it)

    def __contains__(self, item):
        key, value = item
        try:
            v = self._mapping[key]
        except KeyError:
            return False
        return v is value or v == value

    def __iter__(self):
        for key in self._mapping:
            yield (key, self._mapping[key])


class ValuesView(MappingView, Collection):
    __slots__ = ()
    __contains__ = _occurs

    def __iter__(self):
        for key in self._mapping:
            yield self._mapping[key]


class Sequence(Reversible, Collection):
    __slots__ = ()
    __contains__ = _occurs

    @abstractmethod
    def __getitem__(self, index):
        raise IndexError

    def __iter__(self):
        i = 0
        try:
            while True:
                yield self[i]
                i += 1
        except IndexError:
            return

    def __reversed__(self):
        for i in range(len(self) - 1, -1, -1):
            yield self[i]

    def index(self, value, start=0, stop=None):
        if start is not None and start < 0:
            start = max(len(self) + start, 0)
        if stop is not None and stop < 0:
            stop += len(self)
        i = start
        while stop is None or i < stop:
            try:
                v = self[i]
            except IndexError:
                break
            if v is value or v == value:
                return i
            i += 1
        raise ValueError

    def count(self, value):
        return sum(1 for v in self if v is value or v == value)


class ByteString(Sequence):
    __slots__ = ()


class MutableSequence(Sequence):
    __slots__ = ()

    @abstractmethod
    def __setitem__(self, index, value):
        raise IndexError

    @abstractmethod
    def __delitem__(self, index):
        raise IndexError

    @abstractmethod
    def insert(self, index, value):
        raise IndexError

    def append(self, value):
        self.insert(len(self), value)

    def extend(self, values):
        for v in list(values) if values is self else values:
            self.append(v)

    def __iadd__(self, values):
        self.extend(values)
        return self

    def pop(self, index=-1):
        v = self[index]
        del self[index]
        return v

    def remove(self, value):
        del self[self.index(value)]

    def clear(self):
        _drain(self.pop, IndexError)

    def reverse(self):
        n = len(self)
        for i in range(n // 2):
            self[i], self[n - i - 1] = self[n - i - 1], self[i]


def _register():
    from collections import ChainMap, UserDict, UserList, UserString, deque
    empty = {}
    for abstract, kinds in (
            (Sequence, (tuple, str, range, memoryview, UserString)), (ByteString, (bytes, bytearray)),
            (MutableSequence, (list, bytearray, deque, UserList)), (Set, (frozenset,)), (MutableSet, (set,)),
            (MutableMapping, (dict, ChainMap, UserDict)), (Mapping, (type(type.__dict__),)),
            (KeysView, (type(empty.keys()),)), (ItemsView, (type(empty.items()),)), (ValuesView, (type(empty.values()),))):
        for kind in kinds:
            abstract.register(kind)


_register()
