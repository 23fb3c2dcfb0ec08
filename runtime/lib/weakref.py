"""Weak references, and containers that forget what nobody else holds.

Entries go by callback.  A callback may run on any thread, in the middle of other code,
so it takes no lock: it does one atomic operation of a dict or set.  Iteration goes over
a copy of the entries, and so tolerates deaths.
"""

from _weakref import ref, getweakrefcount, getweakrefs, _remove_dead_weakref
import _thread
import itertools

ReferenceType = ref


class WeakValueDictionary:
    def __init__(self, other=(), /, **kwargs):
        self.data = {}
        self.update(other, **kwargs)

    def _entry(self, key, value):
        """A weakref to value whose death removes the key, if it is still this value's."""
        owner = ref(self)

        def forget(dead):
            me = owner()
            if me is not None:
                _remove_dead_weakref(me.data, key)

        return ref(value, forget)

    def __getitem__(self, key):
        value = self.data[key]()
        if value is None:
            raise KeyError(key)
        return value

    def __setitem__(self, key, value):
        self.data[key] = self._entry(key, value)

    def __delitem__(self, key):
        del self.data[key]

    def __len__(self):
        return sum([1 for entry in self.data.copy().values() if entry() is not None])

    def __contains__(self, key):
        entry = self.data.get(key)
        return entry is not None and entry() is not None

    def __iter__(self):
        return self.keys()

    def __repr__(self):
        return "<%s at %#x>" % (self.__class__.__name__, id(self))

    def keys(self):
        for key, entry in self.data.copy().items():
            if entry() is not None:
                yield key

    def values(self):
        for entry in self.data.copy().values():
            value = entry()
            if value is not None:
                yield value

    def items(self):
        for key, entry in self.data.copy().items():
            value = entry()
            if value is not None:
                yield key, value

    def valuerefs(self):
        return list(self.data.copy().values())

    itervaluerefs = valuerefs

    def get(self, key, default=None):
        entry = self.data.get(key)
        if entry is None:
            return default
        value = entry()
        return default if value is None else value

    def pop(self, key, *default):
        entry = self.data.pop(key, None)
        value = None if entry is None else entry()
        if value is None:
            if default:
                return default[0]
            raise KeyError(key)
        return value

    def popitem(self):
        while True:
            key, entry = self.data.popitem()
            value = entry()
            if value is not None:
                return key, value

    def setdefault(self, key, default=None):
        mine = self._entry(key, default)
        while True:
            entry = self.data.setdefault(key, mine)
            value = entry()
            if value is not None:
                return value
            _remove_dead_weakref(self.data, key)

    def clear(self):
        self.data.clear()

    def update(self, other=(), /, **kwargs):
        if hasattr(other, "items"):
            other = other.items()
        for key, value in other:
            self[key] = value
        for key, value in kwargs.items():
            self[key] = value

    def copy(self):
        return self.__class__(self)

    __copy__ = copy

    def __or__(self, other):
        both = self.copy()
        both.update(other)
        return both

    def __ior__(self, other):
        self.update(other)
        return self


class WeakKeyDictionary:
    def __init__(self, dict=None):
        self.data = {}
        owner = ref(self)

        def forget(dead):
            me = owner()
            if me is not None:
                me.data.pop(dead, None)

        self._forget = forget
        if dict is not None:
            self.update(dict)

    def __getitem__(self, key):
        return self.data[ref(key)]

    def __setitem__(self, key, value):
        self.data[ref(key, self._forget)] = value

    def __delitem__(self, key):
        del self.data[ref(key)]

    def __len__(self):
        return sum([1 for entry in self.data.copy() if entry() is not None])

    def __contains__(self, key):
        try:
            return ref(key) in self.data
        except TypeError:
            return False

    def __iter__(self):
        return self.keys()

    def __repr__(self):
        return "<%s at %#x>" % (self.__class__.__name__, id(self))

    def keys(self):
        for entry in self.data.copy():
            key = entry()
            if key is not None:
                yield key

    def values(self):
        for entry, value in self.data.copy().items():
            if entry() is not None:
                yield value

    def items(self):
        for entry, value in self.data.copy().items():
            key = entry()
            if key is not None:
                yield key, value

    def keyrefs(self):
        return list(self.data.copy())

    def get(self, key, default=None):
        return self.data.get(ref(key), default)

    def pop(self, key, *default):
        return self.data.pop(ref(key), *default)

    def popitem(self):
        while True:
            entry, value = self.data.popitem()
            key = entry()
            if key is not None:
                return key, value

    def setdefault(self, key, default=None):
        return self.data.setdefault(ref(key, self._forget), default)

    def clear(self):
        self.data.clear()

    def update(self, other=(), /):
        if hasattr(other, "items"):
            other = other.items()
        for key, value in other:
            self[key] = value

    def copy(self):
        return self.__class__(self)

    __copy__ = copy


class WeakSet:
    def __init__(self, data=None):
        self.data = set()
        owner = ref(self)

        def forget(dead):
            me = owner()
            if me is not None:
                me.data.discard(dead)

        self._forget = forget
        if data is not None:
            self.update(data)

    def __iter__(self):
        for entry in self.data.copy():
            item = entry()
            if item is not None:
                yield item

    def __len__(self):
        return sum([1 for entry in self.data.copy() if entry() is not None])

    def __contains__(self, item):
        try:
            return ref(item) in self.data
        except TypeError:
            return False

    def __repr__(self):
        return repr(self.data)

    def add(self, item):
        self.data.add(ref(item, self._forget))

    def discard(self, item):
        self.data.discard(ref(item))

    def remove(self, item):
        self.data.remove(ref(item))

    def pop(self):
        while True:
            try:
                entry = self.data.pop()
            except KeyError:
                raise KeyError("pop from empty WeakSet") from None
            item = entry()
            if item is not None:
                return item

    def clear(self):
        self.data.clear()

    def update(self, other):
        for item in other:
            self.add(item)

    def copy(self):
        return self.__class__(self)

    def union(self, other):
        both = self.copy()
        both.update(other)
        return both

    __or__ = union

    def __ior__(self, other):
        self.update(other)
        return self

    def intersection(self, other):
        return self.__class__([item for item in other if item in self])

    __and__ = intersection

    def difference(self, other):
        other = set(other)
        return self.__class__([item for item in self if item not in other])

    __sub__ = difference

    def symmetric_difference(self, other):
        return self.__class__(set(self) ^ set(other))

    __xor__ = symmetric_difference

    def issubset(self, other):
        return set(self) <= set(other)

    __le__ = issubset

    def __lt__(self, other):
        return set(self) < set(other)

    def issuperset(self, other):
        return set(self) >= set(other)

    __ge__ = issuperset

    def __gt__(self, other):
        return set(self) > set(other)

    def isdisjoint(self, other):
        return set(self).isdisjoint(other)

    def __eq__(self, other):
        if not isinstance(other, WeakSet):
            return NotImplemented
        return set(self) == set(other)


class WeakMethod:
    """A weakref to a bound method: lives as long as the method's object."""

    def __init__(self, method, callback=None):
        if not hasattr(method, "__self__") or not hasattr(method, "__func__"):
            raise TypeError("argument should be a bound method, not %s" % type(method))
        me = ref(self)

        def gone(dead):
            weak = me()
            if weak is not None and weak._alive:
                weak._alive = False
                if callback is not None:
                    callback(weak)

        self._alive = True
        self._object = ref(method.__self__, gone)
        self._function = ref(method.__func__, gone)
        self._bind = type(method)

    def __call__(self):
        obj = self._object()
        function = self._function()
        if obj is None or function is None:
            return None
        return self._bind(function, obj)

    def __eq__(self, other):
        if not isinstance(other, WeakMethod):
            return NotImplemented
        if not self._alive or not other._alive:
            return self is other
        return self._object == other._object and self._function == other._function

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self._function)


class _Finalizer:
    __slots__ = ("weak", "function", "args", "kwargs", "atexit", "number")


class finalize:
    """Calls a function once: when the object dies, when called, or at exit."""

    _registry = {}
    _numbers = itertools.count()
    _shutdown = False
    _hooked = [False]

    def __init__(self, obj, func, /, *args, **kwargs):
        if not self._hooked[0]:
            self._hooked[0] = True
            import atexit
            atexit.register(finalize._exit)
        entry = _Finalizer()
        entry.weak = ref(obj, self)
        entry.function = func
        entry.args = args
        entry.kwargs = kwargs
        entry.atexit = True
        entry.number = next(self._numbers)
        self._registry[self] = entry

    def __call__(self, _=None):
        entry = self._registry.pop(self, None)
        if entry is not None and not self._shutdown:
            return entry.function(*entry.args, **entry.kwargs)
        return None

    def detach(self):
        entry = self._registry.get(self)
        obj = None if entry is None else entry.weak()
        if obj is not None and self._registry.pop(self, None) is not None:
            return obj, entry.function, entry.args, entry.kwargs
        return None

    def peek(self):
        entry = self._registry.get(self)
        obj = None if entry is None else entry.weak()
        if obj is not None:
            return obj, entry.function, entry.args, entry.kwargs
        return None

    @property
    def alive(self):
        return self in self._registry

    @property
    def atexit(self):
        entry = self._registry.get(self)
        return entry is not None and entry.atexit

    @atexit.setter
    def atexit(self, value):
        entry = self._registry.get(self)
        if entry is not None:
            entry.atexit = bool(value)

    def __repr__(self):
        entry = self._registry.get(self)
        obj = None if entry is None else entry.weak()
        if obj is None:
            return "<%s object at %#x; dead>" % (type(self).__name__, id(self))
        return "<%s object at %#x; for %r at %#x>" % (
            type(self).__name__, id(self), type(obj).__name__, id(obj))

    @staticmethod
    def _exit():
        while True:
            left = [(entry.number, one) for one, entry in finalize._registry.copy().items()
                    if entry.atexit]
            if not left:
                break
            left.sort(key=_first)
            one = left.pop()[1]
            try:
                one()
            except Exception as error:
                _thread._report("Exception in weakref.finalize callback\n", error)
        finalize._shutdown = True


def _first(pair):
    return pair[0]


class ProxyType:
    """Passes attributes, calls and operators on to an object that may die."""

    def __init__(self, target, callback):
        own = None if callback is None else _call_with_proxy(ref(self), callback)
        object.__setattr__(self, "_ref", ref(target, own))

    def _get(self):
        target = object.__getattribute__(self, "_ref")()
        if target is None:
            raise ReferenceError("weakly-referenced object no longer exists")
        return target

    def __getattr__(self, name):
        return getattr(_target(self), name)

    @property
    def __class__(self):
        return _target(self).__class__

    def __setattr__(self, name, value):
        setattr(_target(self), name, value)

    def __delattr__(self, name):
        delattr(_target(self), name)

    def __call__(self, *args, **kwargs):
        return _target(self)(*args, **kwargs)

    def __str__(self):
        return str(_target(self))

    def __repr__(self):
        target = object.__getattribute__(self, "_ref")()
        return "<weakproxy at %#x to %s at %#x>" % (id(self), type(target).__name__, id(target))

    def __bool__(self):
        return bool(_target(self))

    def __len__(self):
        return len(_target(self))

    def __getitem__(self, key):
        return _target(self)[key]

    def __setitem__(self, key, value):
        _target(self)[key] = value

    def __delitem__(self, key):
        del _target(self)[key]

    def __contains__(self, item):
        return item in _target(self)

    def __iter__(self):
        return iter(_target(self))

    def __next__(self):
        return next(_target(self))

    def __eq__(self, other):
        return _target(self) == _strip(other)

    def __ne__(self, other):
        return _target(self) != _strip(other)

    def __lt__(self, other):
        return _target(self) < _strip(other)

    def __le__(self, other):
        return _target(self) <= _strip(other)

    def __gt__(self, other):
        return _target(self) > _strip(other)

    def __ge__(self, other):
        return _target(self) >= _strip(other)

    def __add__(self, other):
        return _target(self) + _strip(other)

    def __radd__(self, other):
        return _strip(other) + _target(self)

    def __sub__(self, other):
        return _target(self) - _strip(other)

    def __mul__(self, other):
        return _target(self) * _strip(other)

    __hash__ = None


CallableProxyType = ProxyType
ProxyTypes = (ProxyType,)


def _target(proxy):
    return object.__getattribute__(proxy, "_get")()


def _strip(value):
    return _target(value) if isinstance(value, ProxyType) else value


def _call_with_proxy(weak_proxy, callback):
    def gone(dead):
        proxy = weak_proxy()
        if proxy is not None:
            callback(proxy)
    return gone


def proxy(target, callback=None):
    return ProxyType(target, callback)
