"""Names of the types that have none among the builtins."""


def _f():
    yield


async def _c():
    pass


FunctionType = type(_f)
LambdaType = FunctionType
GeneratorType = type(_f())
_c = _c()
CoroutineType = type(_c)
_c.close()


async def _g():
    yield


AsyncGeneratorType = type(_g())
CodeType = type(_f.__code__)
BuiltinFunctionType = type(len)
BuiltinMethodType = type([].append)
NoneType = type(None)
EllipsisType = type(Ellipsis)
NotImplementedType = type(NotImplemented)


class _C:
    def m(self):
        pass


MethodType = type(_C().m)
MappingProxyType = type(_C.__dict__)
GenericAlias = type(list[int])
UnionType = type(int | str)


def _cell():
    x = 1

    def inner():
        return x
    return inner.__closure__[0]


CellType = type(_cell())

import sys
ModuleType = type(sys)
WrapperDescriptorType = type(object.__init__)
MethodWrapperType = type(object().__str__)
MethodDescriptorType = type(str.join)
GetSetDescriptorType = type(FunctionType.__code__)

try:
    raise TypeError
except TypeError as _error:
    TracebackType = type(_error.__traceback__)
    FrameType = type(_error.__traceback__.tb_frame)
    _error = None


class SimpleNamespace:
    def __init__(self, /, **kwargs):
        self.__dict__.update(kwargs)

    def __repr__(self):
        name = "namespace" if type(self) is SimpleNamespace else type(self).__name__
        return "%s(%s)" % (name, ", ".join(["%s=%r" % item for item in self.__dict__.items()]))

    def __eq__(self, other):
        if not isinstance(other, SimpleNamespace):
            return NotImplemented
        return self.__dict__ == other.__dict__


def new_class(name, bases=(), kwds=None, exec_body=None):
    """A class made by calls instead of a class statement."""
    resolved = resolve_bases(bases)
    meta, ns, kwds = prepare_class(name, resolved, kwds)
    if exec_body is not None:
        exec_body(ns)
    if resolved is not bases:
        ns["__orig_bases__"] = bases
    return meta(name, resolved, ns, **kwds)


def resolve_bases(bases):
    result = []
    for base in bases:
        if not isinstance(base, type) and hasattr(base, "__mro_entries__"):
            result.extend(base.__mro_entries__(bases))
        else:
            result.append(base)
    return bases if result == list(bases) else tuple(result)


def prepare_class(name, bases=(), kwds=None):
    kwds = dict(kwds or {})
    meta = kwds.pop("metaclass", None)
    if meta is None:
        meta = type(bases[0]) if bases else type
    if isinstance(meta, type):
        for base in bases:
            kind = type(base)
            if issubclass(meta, kind):
                continue
            if not issubclass(kind, meta):
                raise TypeError("metaclass conflict: the metaclass of a derived class must be a (non-strict) "
                                "subclass of the metaclasses of all its bases")
            meta = kind
    ns = meta.__prepare__(name, bases, **kwds) if hasattr(meta, "__prepare__") else {}
    return meta, ns, kwds


class DynamicClassAttribute:
    """A property of instances that leaves the class free to answer for the name (by its metaclass)."""

    def __init__(self, fget=None, fset=None, fdel=None, doc=None):
        self.fget = fget
        self.fset = fset
        self.fdel = fdel
        self.__doc__ = doc if doc is not None or fget is None else fget.__doc__

    def __get__(self, instance, ownerclass=None):
        if instance is None:
            raise AttributeError()
        if self.fget is None:
            raise AttributeError("unreadable attribute")
        return self.fget(instance)

    def __set__(self, instance, value):
        if self.fset is None:
            raise AttributeError("can't set attribute")
        self.fset(instance, value)

    def __delete__(self, instance):
        if self.fdel is None:
            raise AttributeError("can't delete attribute")
        self.fdel(instance)

    def setter(self, fset):
        return type(self)(self.fget, fset, self.fdel, self.__doc__)


class _Awaitable:
    """An object with the methods of a generator, made awaitable."""

    def __init__(self, wrapped):
        self._wrapped = wrapped

    def send(self, value):
        return self._wrapped.send(value)

    def throw(self, *args):
        return self._wrapped.throw(*args)

    def close(self):
        return self._wrapped.close()

    def __next__(self):
        return next(self._wrapped)

    def __iter__(self):
        return self

    __await__ = __iter__


def coroutine(function):
    """Decorator: what the generators of this function yield, `await` passes on."""
    if not callable(function):
        raise TypeError("types.coroutine() expects a callable")
    if isinstance(function, FunctionType):
        flags = function.__code__.co_flags
        if flags & 0x80:
            return function
        if flags & 0x20:
            return sys._mark_awaitable(function)

    def wrapped(*args, **kwargs):
        made = function(*args, **kwargs)
        if isinstance(made, CoroutineType) or not hasattr(made, "send"):
            return made
        return _Awaitable(made)
    wrapped.__name__ = function.__name__
    wrapped.__qualname__ = function.__qualname__
    wrapped.__wrapped__ = function
    return wrapped
