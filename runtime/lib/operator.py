"""Operators as functions."""


def lt(a, b): return a < b
def le(a, b): return a <= b
def eq(a, b): return a == b
def ne(a, b): return a != b
def ge(a, b): return a >= b
def gt(a, b): return a > b
def not_(a): return not a
def truth(a): return bool(a)
def is_(a, b): return a is b
def is_not(a, b): return a is not b
def add(a, b): return a + b
def sub(a, b): return a - b
def mul(a, b): return a * b
def truediv(a, b): return a / b
def floordiv(a, b): return a // b
def mod(a, b): return a % b
def pow(a, b): return a ** b
def neg(a): return -a
def pos(a): return +a
def invert(a): return ~a
def and_(a, b): return a & b
def or_(a, b): return a | b
def xor(a, b): return a ^ b
def lshift(a, b): return a << b
def rshift(a, b): return a >> b
def concat(a, b): return a + b
def contains(a, b): return b in a
def getitem(a, b): return a[b]


def setitem(a, b, c):
    a[b] = c


def delitem(a, b):
    del a[b]


def abs(a): return a.__abs__()
def matmul(a, b): return a @ b
inv = invert


def iadd(a, b):
    a += b
    return a


def isub(a, b):
    a -= b
    return a


def imul(a, b):
    a *= b
    return a


def imatmul(a, b):
    a @= b
    return a


def itruediv(a, b):
    a /= b
    return a


def ifloordiv(a, b):
    a //= b
    return a


def imod(a, b):
    a %= b
    return a


def ipow(a, b):
    a **= b
    return a


def ilshift(a, b):
    a <<= b
    return a


def irshift(a, b):
    a >>= b
    return a


def iand(a, b):
    a &= b
    return a


def ior(a, b):
    a |= b
    return a


def ixor(a, b):
    a ^= b
    return a


iconcat = iadd


def length_hint(obj, default=0):
    try:
        return len(obj)
    except TypeError:
        pass
    hint = getattr(type(obj), "__length_hint__", None)
    if hint is None:
        return default
    value = hint(obj)
    return default if value is NotImplemented else value


def call(obj, /, *args, **kwargs):
    return obj(*args, **kwargs)


def countOf(a, b):
    return sum(1 for item in a if item is b or item == b)


def index(a):
    if not hasattr(type(a), "__index__"):
        raise TypeError("'%s' object cannot be interpreted as an integer" % type(a).__name__)
    return a.__index__()


def indexOf(a, b):
    for i, item in enumerate(a):
        if item is b or item == b:
            return i
    raise ValueError("sequence.index(x): x not in sequence")


class itemgetter:
    __slots__ = ("_items",)

    def __init__(self, item, /, *items):
        self._items = (item,) + items

    def __call__(self, obj, /):
        items = self._items
        if len(items) == 1:
            return obj[items[0]]
        return tuple([obj[item] for item in items])

    def __repr__(self):
        return "operator.itemgetter(%s)" % ", ".join([repr(item) for item in self._items])


def _walk(obj, path):
    for name in path:
        obj = getattr(obj, name)
    return obj


class attrgetter:
    __slots__ = ("_attrs", "_paths")

    def __init__(self, attr, /, *attrs):
        self._attrs = (attr,) + attrs
        self._paths = [name.split(".") for name in self._attrs]

    def __call__(self, obj, /):
        paths = self._paths
        if len(paths) == 1:
            return _walk(obj, paths[0])
        return tuple([_walk(obj, path) for path in paths])

    def __repr__(self):
        return "operator.attrgetter(%s)" % ", ".join([repr(attr) for attr in self._attrs])


class methodcaller:
    __slots__ = ("_name", "_args", "_kwargs")

    def __init__(self, name, /, *args, **kwargs):
        self._name = name
        self._args = args
        self._kwargs = kwargs

    def __call__(self, obj, /):
        return getattr(obj, self._name)(*self._args, **self._kwargs)

    def __repr__(self):
        parts = [repr(self._name)] + [repr(a) for a in self._args] + ["%s=%r" % kv for kv in self._kwargs.items()]
        return "operator.methodcaller(%s)" % ", ".join(parts)
