"""Containers beyond the builtin ones; deque is native."""

from _collections import deque
from keyword import iskeyword
from sys import _getframe


class defaultdict(dict):
    """A dict that makes missing values with a function.

    When another thread stores the key while the function runs, that value wins.
    """

    def __init__(self, default_factory=None, *args, **kwargs):
        if default_factory is not None and not callable(default_factory):
            raise TypeError("first argument must be callable or None")
        self.default_factory = default_factory
        dict.__init__(self, *args, **kwargs)

    def __missing__(self, key):
        factory = self.default_factory
        if factory is None:
            raise KeyError(key)
        return self.setdefault(key, factory())

    def copy(self):
        return self.__class__(self.default_factory, self)

    __copy__ = copy

    def __or__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        both = self.copy()
        both.update(other)
        return both

    def __ror__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        both = self.__class__(self.default_factory, other)
        both.update(self)
        return both

    def __repr__(self):
        return "%s(%s, %s)" % (self.__class__.__name__, repr(self.default_factory),
                               dict.__repr__(self))


class Counter(dict):
    """Counts of hashable things; what is missing counts zero."""

    def __init__(self, iterable=None, /, **kwargs):
        dict.__init__(self)
        self.update(iterable, **kwargs)

    def __missing__(self, key):
        return 0

    def total(self):
        return sum(self.values())

    def most_common(self, n=None):
        ranked = sorted(self.items(), key=_second, reverse=True)
        return ranked if n is None else ranked[:max(n, 0)]

    def elements(self):
        for key, count in self.items():
            for _ in range(count):
                yield key

    def update(self, iterable=None, /, **kwargs):
        if iterable is not None:
            if isinstance(iterable, dict):
                for key, count in iterable.items():
                    self[key] = self.get(key, 0) + count
            else:
                get = self.get
                for key in iterable:
                    self[key] = get(key, 0) + 1
        if kwargs:
            self.update(kwargs)

    def subtract(self, iterable=None, /, **kwargs):
        if iterable is not None:
            if isinstance(iterable, dict):
                for key, count in iterable.items():
                    self[key] = self.get(key, 0) - count
            else:
                for key in iterable:
                    self[key] = self.get(key, 0) - 1
        if kwargs:
            self.subtract(kwargs)

    def copy(self):
        return self.__class__(self)

    def __delitem__(self, key):
        if key in self:
            dict.__delitem__(self, key)

    def __repr__(self):
        if not self:
            return "%s()" % self.__class__.__name__
        try:
            items = dict(self.most_common())
        except TypeError:
            items = dict(self)
        return "%s(%r)" % (self.__class__.__name__, items)

    def __eq__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return (all(self[key] == other[key] for key in self)
                and all(self[key] == other[key] for key in other))

    def __ne__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return not self == other

    def __le__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return (all(self[key] <= other[key] for key in self)
                and all(self[key] <= other[key] for key in other))

    def __lt__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return self <= other and self != other

    def __ge__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return other <= self

    def __gt__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        return other < self

    def __add__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        result = Counter()
        for key, count in self.items():
            both = count + other[key]
            if both > 0:
                result[key] = both
        for key, count in other.items():
            if key not in self and count > 0:
                result[key] = count
        return result

    def __sub__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        result = Counter()
        for key, count in self.items():
            left = count - other[key]
            if left > 0:
                result[key] = left
        for key, count in other.items():
            if key not in self and count < 0:
                result[key] = 0 - count
        return result

    def __or__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        result = Counter()
        for key, count in self.items():
            most = max(count, other[key])
            if most > 0:
                result[key] = most
        for key, count in other.items():
            if key not in self and count > 0:
                result[key] = count
        return result

    def __and__(self, other):
        if not isinstance(other, Counter):
            return NotImplemented
        result = Counter()
        for key, count in self.items():
            least = min(count, other[key])
            if least > 0:
                result[key] = least
        return result

    def __pos__(self):
        return Counter({key: count for key, count in self.items() if count > 0})

    def __neg__(self):
        return Counter({key: -count for key, count in self.items() if count < 0})

    def _keep_positive(self):
        for key in [key for key, count in self.items() if not count > 0]:
            del self[key]
        return self

    def __iadd__(self, other):
        for key, count in other.items():
            self[key] += count
        return self._keep_positive()

    def __isub__(self, other):
        for key, count in other.items():
            self[key] -= count
        return self._keep_positive()

    def __ior__(self, other):
        for key, count in other.items():
            if count > self[key]:
                self[key] = count
        return self._keep_positive()

    def __iand__(self, other):
        for key, count in list(self.items()):
            if other[key] < count:
                self[key] = other[key]
        return self._keep_positive()


def _second(pair):
    return pair[1]


class OrderedDict(dict):
    """A dict whose equality minds the order; every dict keeps the order of insertion."""

    def move_to_end(self, key, last=True):
        value = dict.pop(self, key)
        if last:
            self[key] = value
            return
        rest = list(self.items())
        self.clear()
        self[key] = value
        for other, kept in rest:
            self[other] = kept

    def popitem(self, last=True):
        if not self:
            raise KeyError("dictionary is empty")
        if last:
            return dict.popitem(self)
        key = next(iter(self))
        return key, self.pop(key)

    def copy(self):
        return self.__class__(self)

    def __or__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        made = self.__class__(self)
        made.update(other)
        return made

    def __ror__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        made = self.__class__(other)
        made.update(self)
        return made

    def __eq__(self, other):
        if isinstance(other, OrderedDict):
            return dict.__eq__(self, other) and list(self) == list(other)
        return dict.__eq__(self, other)

    def __ne__(self, other):
        return not self == other

    def __repr__(self):
        if not self:
            return "%s()" % self.__class__.__name__
        return "%s(%r)" % (self.__class__.__name__, list(self.items()))


def _keep(self, value=None):
    raise AttributeError("can't set attribute")


def _field(index):
    return property(lambda self: self[index], _keep, _keep)


def namedtuple(typename, field_names, *, rename=False, defaults=None, module=None):
    if isinstance(field_names, str):
        field_names = field_names.replace(",", " ").split()
    fields = [str(name) for name in field_names]
    seen = set()
    for i, name in enumerate(fields):
        good = name.isidentifier() and not iskeyword(name) and not name.startswith("_") and name not in seen
        if not good and rename:
            fields[i] = "_%d" % i
        elif not name.isidentifier():
            raise ValueError("Type names and field names must be valid identifiers: %r" % name)
        elif iskeyword(name):
            raise ValueError("Type names and field names cannot be a keyword: %r" % name)
        elif name.startswith("_"):
            raise ValueError("Field names cannot start with an underscore: %r" % name)
        elif name in seen:
            raise ValueError("Encountered duplicate field name: %r" % name)
        seen.add(name)
    fields = tuple(fields)
    count = len(fields)
    values = () if defaults is None else tuple(defaults)
    if len(values) > count:
        raise TypeError("Got more default values than field names")
    first_default = count - len(values)

    class Named(tuple):
        __slots__ = ()

        def __new__(cls, *args, **kwargs):
            given = len(args)
            if given == count and not kwargs:
                return tuple.__new__(cls, args)
            if given > count:
                takes = str(count + 1) if not values else "from %d to %d" % (first_default + 1, count + 1)
                raise TypeError("%s.__new__() takes %s positional arguments but %d were given"
                                % (typename, takes, given + 1))
            items = list(args)
            missing = []
            for i in range(given, count):
                name = fields[i]
                if name in kwargs:
                    items.append(kwargs.pop(name))
                elif i >= first_default:
                    items.append(values[i - first_default])
                else:
                    missing.append(repr(name))
            for name in kwargs:
                if name in fields:
                    raise TypeError("%s.__new__() got multiple values for argument '%s'"
                                    % (typename, name))
                raise TypeError("%s.__new__() got an unexpected keyword argument '%s'"
                                % (typename, name))
            if missing:
                raise TypeError("%s.__new__() missing %d required positional argument%s: %s"
                                % (typename, len(missing), "s" if len(missing) > 1 else "",
                                   _listing(missing)))
            return tuple.__new__(cls, items)

        @classmethod
        def _make(cls, iterable):
            result = tuple.__new__(cls, iterable)
            if len(result) != count:
                raise TypeError("Expected %d arguments, got %d" % (count, len(result)))
            return result

        def _replace(self, /, **kwargs):
            result = self._make([kwargs.pop(name, self[i]) for i, name in enumerate(fields)])
            if kwargs:
                raise ValueError("Got unexpected field names: %r" % list(kwargs))
            return result

        def _asdict(self):
            return dict(zip(fields, self))

        def __getnewargs__(self):
            return tuple(self)

        def __repr__(self):
            return "%s(%s)" % (self.__class__.__name__,
                               ", ".join(["%s=%r" % (name, self[i])
                                          for i, name in enumerate(fields)]))

    for i, name in enumerate(fields):
        setattr(Named, name, _field(i))
    Named._fields = fields
    Named._field_defaults = dict(zip(fields[first_default:], values))
    Named.__doc__ = "%s(%s)" % (typename, ", ".join(fields))
    Named.__name__ = typename
    Named.__qualname__ = typename
    if module is None:
        module = _getframe(1).f_globals.get("__name__", "__main__")
    Named.__module__ = module
    return Named


def _listing(names):
    if len(names) == 1:
        return names[0]
    if len(names) == 2:
        return names[0] + " and " + names[1]
    return ", ".join(names[:-1]) + ", and " + names[-1]


class ChainMap:
    """Several dicts looked through in order; writes go to the first."""

    def __init__(self, *maps):
        self.maps = list(maps) or [{}]

    def __getitem__(self, key):
        for mapping in self.maps:
            try:
                return mapping[key]
            except KeyError:
                pass
        raise KeyError(key)

    def get(self, key, default=None):
        return self[key] if key in self else default

    def __len__(self):
        return len(set().union(*self.maps))

    def __iter__(self):
        merged = {}
        for mapping in reversed(self.maps):
            merged.update(dict.fromkeys(mapping))
        return iter(merged)

    def keys(self):
        return list(self)

    def values(self):
        return [self[key] for key in self]

    def items(self):
        return [(key, self[key]) for key in self]

    def __contains__(self, key):
        return any(key in mapping for mapping in self.maps)

    def __bool__(self):
        return any(self.maps)

    def __repr__(self):
        return "ChainMap(%s)" % ", ".join([repr(mapping) for mapping in self.maps])

    def new_child(self, m=None):
        return ChainMap({} if m is None else m, *self.maps)

    @property
    def parents(self):
        return ChainMap(*self.maps[1:])

    def __setitem__(self, key, value):
        self.maps[0][key] = value

    def __delitem__(self, key):
        try:
            del self.maps[0][key]
        except KeyError:
            raise KeyError("Key not found in the first mapping: %r" % (key,))

    def pop(self, key, *args):
        try:
            return self.maps[0].pop(key, *args)
        except KeyError:
            raise KeyError("Key not found in the first mapping: %r" % (key,))

    def popitem(self):
        try:
            return self.maps[0].popitem()
        except KeyError:
            raise KeyError("No keys found in the first mapping.")

    def clear(self):
        self.maps[0].clear()

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def update(self, other=(), /, **kwargs):
        self.maps[0].update(other, **kwargs)

    def copy(self):
        return self.__class__(self.maps[0].copy(), *self.maps[1:])

    __copy__ = copy
    __hash__ = None

    def __eq__(self, other):
        return dict(self.items()) == (dict(other.items()) if isinstance(other, ChainMap) else other)

    def __or__(self, other):
        made = self.copy()
        made.maps[0].update(other)
        return made

    def __ior__(self, other):
        self.maps[0].update(other)
        return self

    @classmethod
    def fromkeys(cls, iterable, value=None):
        return cls(dict.fromkeys(iterable, value))


_absent = object()


class _ByItems:
    """What mappings get from their item methods; also for those of collections.abc."""

    __slots__ = ()

    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default

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

    def pop(self, key, default=_absent):
        try:
            value = self[key]
        except KeyError:
            if default is _absent:
                raise
            return default
        del self[key]
        return value

    def popitem(self):
        try:
            key = next(iter(self))
        except StopIteration:
            raise KeyError from None
        value = self[key]
        del self[key]
        return key, value


class UserDict(_ByItems):
    """A dict to derive from: every change goes through the item methods; the items are in `data`."""

    def __init__(self, mapping=None, /, **kwargs):
        self.data = {}
        if mapping is not None:
            self.update(mapping)
        if kwargs:
            self.update(kwargs)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, key):
        if key in self.data:
            return self.data[key]
        if hasattr(self.__class__, "__missing__"):
            return self.__class__.__missing__(self, key)
        raise KeyError(key)

    def __setitem__(self, key, item):
        self.data[key] = item

    def __delitem__(self, key):
        del self.data[key]

    def __iter__(self):
        return iter(self.data)

    def __contains__(self, key):
        return key in self.data

    def __repr__(self):
        return repr(self.data)

    def __eq__(self, other):
        return self.data == (other.data if isinstance(other, UserDict) else other)

    def __or__(self, other):
        if isinstance(other, UserDict):
            return self.__class__(self.data | other.data)
        return self.__class__(self.data | other) if isinstance(other, dict) else NotImplemented

    def __ior__(self, other):
        self.update(other)
        return self

    def keys(self):
        return self.data.keys()

    def values(self):
        return self.data.values()

    def items(self):
        return self.data.items()

    def clear(self):
        for key in list(self):
            del self[key]

    def copy(self):
        made = self.__class__.__new__(self.__class__)
        made.__dict__.update(self.__dict__)
        made.data = self.data.copy()
        return made

    __copy__ = copy
    __hash__ = None

    @classmethod
    def fromkeys(cls, iterable, value=None):
        made = cls()
        for key in iterable:
            made[key] = value
        return made


def _plain(other):
    return other.data if isinstance(other, (UserList, UserString)) else other


class _ByData:
    """What UserList and UserString let their `data` do."""

    def __repr__(self):
        return repr(self.data)

    def __len__(self):
        return len(self.data)

    def __lt__(self, other):
        return self.data < _plain(other)

    def __le__(self, other):
        return self.data <= _plain(other)

    def __eq__(self, other):
        return self.data == _plain(other)

    def __gt__(self, other):
        return self.data > _plain(other)

    def __ge__(self, other):
        return self.data >= _plain(other)

    def __mul__(self, n):
        return self.__class__(self.data * n)

    __rmul__ = __mul__


class UserList(_ByData):
    """A list to derive from; the items are in `data`."""

    def __init__(self, items=None):
        self.data = [] if items is None else list(_plain(items))

    def __contains__(self, item):
        return item in self.data

    def __iter__(self):
        i = 0
        while i < len(self):
            yield self[i]
            i += 1

    def __getitem__(self, i):
        return self.__class__(self.data[i]) if isinstance(i, slice) else self.data[i]

    def __setitem__(self, i, item):
        self.data[i] = item

    def __delitem__(self, i):
        del self.data[i]

    def __add__(self, other):
        return self.__class__(self.data + list(_plain(other)))

    def __radd__(self, other):
        return self.__class__(list(_plain(other)) + self.data)

    def __iadd__(self, other):
        self.data += list(_plain(other))
        return self

    def __imul__(self, n):
        self.data *= n
        return self

    def append(self, item):
        self.data.append(item)

    def insert(self, i, item):
        self.data.insert(i, item)

    def pop(self, i=-1):
        return self.data.pop(i)

    def remove(self, item):
        self.data.remove(item)

    def clear(self):
        self.data.clear()

    def copy(self):
        return self.__class__(self)

    def count(self, item):
        return self.data.count(item)

    def index(self, item, *args):
        return self.data.index(item, *args)

    def reverse(self):
        self.data.reverse()

    def sort(self, /, *args, **kwargs):
        self.data.sort(*args, **kwargs)

    def extend(self, other):
        self.data.extend(_plain(other))


class UserString(_ByData):
    """A string to derive from; the text is in `data`. Methods that give text give the class."""

    def __init__(self, text):
        self.data = text.data if isinstance(text, UserString) else str(text)

    def __str__(self):
        return self.data

    def __hash__(self):
        return hash(self.data)

    def __contains__(self, part):
        return _plain(part) in self.data

    def __iter__(self):
        return iter(self.data)

    def __getitem__(self, i):
        return self.__class__(self.data[i])

    def __add__(self, other):
        return self.__class__(self.data + str(other))

    def __radd__(self, other):
        return self.__class__(str(other) + self.data)

    def __mod__(self, args):
        return self.__class__(self.data % args)

    def __int__(self):
        return int(self.data)

    def __float__(self):
        return float(self.data)


def _forward(name, wrap):
    def method(self, *args, **kwargs):
        result = getattr(self.data, name)(*[_plain(a) for a in args], **kwargs)
        return self.__class__(result) if wrap else result
    method.__name__ = name
    return method


for _name in ("capitalize", "casefold", "center", "expandtabs", "ljust", "lower", "lstrip", "replace", "rjust", "rstrip",
              "strip", "swapcase", "title", "translate", "upper", "zfill", "removeprefix", "removesuffix"):
    setattr(UserString, _name, _forward(_name, True))
for _name in ("count", "encode", "endswith", "find", "format", "index", "isalpha", "isalnum", "isascii", "isdecimal", "isdigit",
              "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper", "join", "partition",
              "rfind", "rindex", "rpartition", "rsplit", "split", "splitlines", "startswith"):
    setattr(UserString, _name, _forward(_name, False))
del _name
