"""Functions that work on functions."""

from _thread import RLock

_Proxy = type(type.__dict__)

WRAPPER_ASSIGNMENTS = ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__")
WRAPPER_UPDATES = ("__dict__",)


def update_wrapper(wrapper, wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    for name in assigned:
        try:
            setattr(wrapper, name, getattr(wrapped, name))
        except AttributeError:
            pass
    for name in updated:
        getattr(wrapper, name).update(getattr(wrapped, name, {}))
    wrapper.__wrapped__ = wrapped
    return wrapper


def wraps(wrapped, assigned=WRAPPER_ASSIGNMENTS, updated=WRAPPER_UPDATES):
    def decorate(wrapper):
        return update_wrapper(wrapper, wrapped, assigned, updated)
    return decorate


_missing = object()


def reduce(function, iterable, initial=_missing, /):
    iterator = iter(iterable)
    if initial is _missing:
        try:
            value = next(iterator)
        except StopIteration:
            raise TypeError("reduce() of empty iterable with no initial value") from None
    else:
        value = initial
    for item in iterator:
        value = function(value, item)
    return value


def _arguments(made):
    """What a partial or partialmethod was made of, as text."""
    parts = [repr(made.func)] + [repr(a) for a in made.args] + ["%s=%r" % kv for kv in made.keywords.items()]
    return ", ".join(parts)


class partial:
    def __init__(self, /, *args, **keywords):
        if not args:
            raise TypeError("type 'partial' takes at least one argument")
        func, *args = args
        args = tuple(args)
        if not callable(func):
            raise TypeError("the first argument must be callable")
        if isinstance(func, partial):
            args = func.args + args
            keywords = {**func.keywords, **keywords}
            func = func.func
        self.func = func
        self.args = args
        self.keywords = keywords

    def __call__(self, /, *args, **keywords):
        if keywords:
            keywords = {**self.keywords, **keywords}
        else:
            keywords = self.keywords
        return self.func(*self.args, *args, **keywords)

    def __repr__(self):
        return "functools.partial(%s)" % _arguments(self)


def cmp_to_key(compare):
    class K:
        __slots__ = ("obj",)

        def __init__(self, obj):
            self.obj = obj

        def __lt__(self, other):
            return compare(self.obj, other.obj) < 0

        def __gt__(self, other):
            return compare(self.obj, other.obj) > 0

        def __eq__(self, other):
            return compare(self.obj, other.obj) == 0

        def __le__(self, other):
            return compare(self.obj, other.obj) <= 0

        def __ge__(self, other):
            return compare(self.obj, other.obj) >= 0

    return K


class _CacheInfo(tuple):
    __slots__ = ()

    @property
    def hits(self):
        return self[0]

    @property
    def misses(self):
        return self[1]

    @property
    def maxsize(self):
        return self[2]

    @property
    def currsize(self):
        return self[3]

    def __repr__(self):
        return "CacheInfo(hits=%r, misses=%r, maxsize=%r, currsize=%r)" % tuple(self)


def _cache_key(args, kwargs, typed):
    key = args
    if kwargs:
        key = key + (_missing,)
        for item in kwargs.items():
            key = key + item
    if typed:
        key = key + tuple([type(value) for value in args])
        if kwargs:
            key = key + tuple([type(value) for value in kwargs.values()])
    return key


def lru_cache(maxsize=128, typed=False):
    """Remembers results.  The dict's own order says which was used longest ago."""
    if callable(maxsize):
        return lru_cache()(maxsize)
    if maxsize is not None and not isinstance(maxsize, int):
        raise TypeError("Expected first argument to be an integer, a callable, or None")
    if maxsize is not None and maxsize < 0:
        maxsize = 0

    def decorate(function):
        results = {}
        lock = RLock()
        counts = [0, 0]

        def wrapper(*args, **kwargs):
            key = _cache_key(args, kwargs, typed)
            with lock:
                value = results.get(key, _missing)
                if value is not _missing:
                    counts[0] += 1
                    if maxsize is not None:
                        results.pop(key, None)
                        results[key] = value
                    return value
                counts[1] += 1
            value = function(*args, **kwargs)
            if maxsize is None or maxsize > 0:
                with lock:
                    if key not in results:
                        while maxsize is not None and len(results) >= maxsize:
                            results.pop(next(iter(results)), None)
                        results[key] = value
            return value

        def cache_info():
            with lock:
                return _CacheInfo((counts[0], counts[1], maxsize, len(results)))

        def cache_clear():
            with lock:
                results.clear()
                counts[0] = counts[1] = 0

        def cache_parameters():
            return {"maxsize": maxsize, "typed": typed}

        wrapper.cache_info = cache_info
        wrapper.cache_clear = cache_clear
        wrapper.cache_parameters = cache_parameters
        return update_wrapper(wrapper, function)

    return decorate


def cache(function):
    return lru_cache(maxsize=None)(function)


class cached_property:
    def __init__(self, func):
        self.func = func
        self.attrname = func.__name__
        self.__doc__ = func.__doc__

    def __set_name__(self, owner, name):
        self.attrname = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        values = instance.__dict__
        value = values.get(self.attrname, _missing)
        if value is _missing:
            value = self.func(instance)
            values[self.attrname] = value
        return value


def total_ordering(cls):
    """Fills in the order comparisons from one of them and __eq__."""
    defined = cls.__dict__
    if "__lt__" in defined:
        def gt(self, other):
            return not (self < other or self == other)

        def le(self, other):
            return self < other or self == other

        def ge(self, other):
            return not self < other
        fill = {"__gt__": gt, "__le__": le, "__ge__": ge}
    elif "__gt__" in defined:
        def lt(self, other):
            return not (self > other or self == other)

        def ge(self, other):
            return self > other or self == other

        def le(self, other):
            return not self > other
        fill = {"__lt__": lt, "__ge__": ge, "__le__": le}
    elif "__le__" in defined:
        def ge(self, other):
            return not self <= other or self == other

        def lt(self, other):
            return self <= other and not self == other

        def gt(self, other):
            return not self <= other
        fill = {"__ge__": ge, "__lt__": lt, "__gt__": gt}
    elif "__ge__" in defined:
        def le(self, other):
            return not self >= other or self == other

        def gt(self, other):
            return self >= other and not self == other

        def lt(self, other):
            return not self >= other
        fill = {"__le__": le, "__gt__": gt, "__lt__": lt}
    else:
        raise ValueError("must define at least one ordering operation: < > <= >=")
    for name, function in fill.items():
        if name not in defined:
            function.__name__ = name
            setattr(cls, name, function)
    return cls


def singledispatch(function):
    table = {object: function}

    def dispatch(kind):
        for base in kind.__mro__:
            if base in table:
                return table[base]
        return function

    def register(kind, implementation=None):
        if implementation is None:
            if isinstance(kind, type):
                return lambda f: register(kind, f)
            implementation = kind
            for name, kind in getattr(implementation, "__annotations__", {}).items():
                break
            if not isinstance(kind, type):
                raise TypeError("Invalid first argument to `register()`: %r. Use either `@register(some_class)` or plain "
                                "`@register` on an annotated function." % (implementation,))
        table[kind] = implementation
        return implementation

    def wrapper(*args, **kwargs):
        return dispatch(type(args[0]))(*args, **kwargs)

    wrapper.register = register
    wrapper.dispatch = dispatch
    wrapper.registry = _Proxy(table)
    return update_wrapper(wrapper, function)


class partialmethod:
    """partial() for methods: the instance comes first."""

    def __init__(self, func, /, *args, **keywords):
        if not callable(func) and not hasattr(func, "__get__"):
            raise TypeError("%r is not callable or a descriptor" % (func,))
        self.func = func
        self.args = args
        self.keywords = keywords

    def __get__(self, obj, cls=None):
        get = getattr(self.func, "__get__", None)
        if get is not None and not isinstance(self.func, partial):
            bound = get(obj, cls)
            if bound is not self.func:
                return partial(bound, *self.args, **self.keywords)

        def method(this, /, *args, **keywords):
            return self.func(this, *self.args, *args, **{**self.keywords, **keywords})
        return method if obj is None else partial(method, obj)

    def __repr__(self):
        return "functools.partialmethod(%s)" % _arguments(self)


class singledispatchmethod:
    """singledispatch() for methods: by the class of the first argument behind self."""

    def __init__(self, func):
        if not callable(func) and not hasattr(func, "__get__"):
            raise TypeError("%r is not callable or a descriptor" % (func,))
        self.dispatcher = singledispatch(func)
        self.func = func

    def register(self, cls, method=None):
        return self.dispatcher.register(cls, method)

    def __get__(self, obj, cls=None):
        def method(*args, **kwargs):
            chosen = self.dispatcher.dispatch(args[0].__class__)
            return chosen.__get__(obj, cls)(*args, **kwargs)
        method.register = self.register
        method.__name__ = getattr(self.func, "__name__", "method")
        return method
