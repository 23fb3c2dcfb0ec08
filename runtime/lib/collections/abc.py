"""Names for annotations and isinstance() checks by what a class defines.

There are no metaclasses here, so the classes cannot answer isinstance() for others;
they serve as bases and in annotations.
"""


class Hashable:
    __slots__ = ()


class Iterable:
    __slots__ = ()


class Iterator(Iterable):
    __slots__ = ()

    def __iter__(self):
        return self


class Generator(Iterator):
    __slots__ = ()


class Sized:
    __slots__ = ()


class Container:
    __slots__ = ()


class Collection(Sized, Iterable, Container):
    __slots__ = ()


class Callable:
    __slots__ = ()


class Sequence(Collection):
    __slots__ = ()

    def __iter__(self):
        i = 0
        try:
            while True:
                yield self[i]
                i += 1
        except IndexError:
            return

    def __contains__(self, value):
        for item in self:
            if item is value or item == value:
                return True
        return False

    def index(self, value):
        for i in range(len(self)):
            if self[i] is value or self[i] == value:
                return i
        raise ValueError

    def count(self, value):
        return sum(1 for item in self if item is value or item == value)


class MutableSequence(Sequence):
    __slots__ = ()

    def append(self, value):
        self.insert(len(self), value)

    def extend(self, values):
        for value in values:
            self.append(value)

    def pop(self, index=-1):
        value = self[index]
        del self[index]
        return value

    def remove(self, value):
        del self[self.index(value)]


class Mapping(Collection):
    __slots__ = ()

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key):
        try:
            self[key]
        except KeyError:
            return False
        return True

    def keys(self):
        return list(self)

    def values(self):
        return [self[key] for key in self]

    def items(self):
        return [(key, self[key]) for key in self]


class MutableMapping(Mapping):
    __slots__ = ()

    def pop(self, key, *default):
        try:
            value = self[key]
        except KeyError:
            if default:
                return default[0]
            raise
        del self[key]
        return value

    def clear(self):
        for key in list(self):
            del self[key]

    def update(self, other=(), /, **kwargs):
        if hasattr(other, "keys"):
            for key in other.keys():
                self[key] = other[key]
        else:
            for key, value in other:
                self[key] = value
        for key, value in kwargs.items():
            self[key] = value

    def setdefault(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            self[key] = default
        return default


class Set(Collection):
    __slots__ = ()


class MutableSet(Set):
    __slots__ = ()


class Awaitable:
    __slots__ = ()


class Coroutine(Awaitable):
    __slots__ = ()


class AsyncIterable:
    __slots__ = ()


class AsyncIterator(AsyncIterable):
    __slots__ = ()
