"""The dataclass decorator: methods made from annotations, as closures instead of source text."""

from copy import deepcopy as _deepcopy


class _Missing:
    def __repr__(self):
        return "<dataclasses._MISSING_TYPE object>"


MISSING = _Missing()


class FrozenInstanceError(AttributeError):
    pass


class _Factory:
    def __repr__(self):
        return "<factory>"


class Field:
    def __init__(self, default, default_factory, init, repr, hash, compare, metadata, kw_only):
        self.name = None
        self.type = None
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.hash = hash
        self.compare = compare
        self.metadata = metadata
        self.kw_only = kw_only


def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None,
          compare=True, metadata=None, kw_only=False):
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError("cannot specify both default and default_factory")
    return Field(default, default_factory, init, repr, hash, compare, metadata, kw_only)


def _collect(cls):
    """The fields of the bases, then its own, in order of definition."""
    fields = {}
    for base in cls.__mro__[-1:0:-1]:
        for f in getattr(base, "__dataclass_fields__", {}).values():
            fields[f.name] = f
    for name, kind in cls.__dict__.get("__annotations__", {}).items():
        text = kind if isinstance(kind, str) else repr(kind)
        if "ClassVar" in text:
            continue
        default = cls.__dict__.get(name, MISSING)
        if isinstance(default, Field):
            f = default
            if f.default is not MISSING:
                setattr(cls, name, f.default)
            else:
                delattr(cls, name)
        else:
            f = field(default=default)
        if isinstance(f.default, (list, dict, set)):
            raise ValueError("mutable default %s for field %s is not allowed: use default_factory"
                             % (type(f.default), name))
        f.name = name
        f.type = kind
        fields[name] = f
    return fields


def _init(cls, fields, frozen):
    given = [f for f in fields if f.init]
    positional = [f for f in given if not f.kw_only]
    names = [f.name for f in positional]
    seen_default = False
    for f in positional:
        if f.default is not MISSING or f.default_factory is not MISSING:
            seen_default = True
        elif seen_default:
            raise TypeError("non-default argument %r follows default argument" % f.name)
    least = len([f for f in positional if f.default is MISSING and f.default_factory is MISSING])
    post = hasattr(cls, "__post_init__")
    store = object.__setattr__ if frozen else setattr

    def __init__(self, *args, **kwargs):
        if len(args) > len(names):
            takes = "%d" % (len(names) + 1) if least == len(names) else "from %d to %d" % (
                least + 1, len(names) + 1)
            raise TypeError("%s.__init__() takes %s positional arguments but %d were given"
                            % (cls.__qualname__, takes, len(args) + 1))
        missing = []
        i = 0
        for f in fields:
            name = f.name
            if f.init and not f.kw_only and i < len(args):
                if name in kwargs:
                    raise TypeError("%s.__init__() got multiple values for argument '%s'"
                                    % (cls.__qualname__, name))
                store(self, name, args[i])
                i += 1
            elif f.init and name in kwargs:
                store(self, name, kwargs.pop(name))
            elif f.default_factory is not MISSING:
                store(self, name, f.default_factory())
            elif f.default is not MISSING:
                store(self, name, f.default)
            elif f.init:
                missing.append(repr(name))
        for name in kwargs:
            raise TypeError("%s.__init__() got an unexpected keyword argument '%s'"
                            % (cls.__qualname__, name))
        if missing:
            text = missing[0]
            if len(missing) == 2:
                text = " and ".join(missing)
            elif len(missing) > 2:
                text = ", ".join(missing[:-1]) + ", and " + missing[-1]
            raise TypeError("%s.__init__() missing %d required positional argument%s: %s"
                            % (cls.__qualname__, len(missing), "s" if len(missing) > 1 else "", text))
        if post:
            self.__post_init__()

    return __init__


def _set(cls, name, function, overwrite=False):
    if overwrite or name not in cls.__dict__:
        function.__name__ = name
        function.__qualname__ = "%s.%s" % (cls.__qualname__, name)
        setattr(cls, name, function)


def _process(cls, init, repr_, eq, order, unsafe_hash, frozen, match_args, kw_only, slots):
    table = _collect(cls)
    cls.__dataclass_fields__ = table
    fields = list(table.values())
    if kw_only:
        for f in fields:
            f.kw_only = True
    shown = [f.name for f in fields if f.repr]
    compared = [f.name for f in fields if f.compare]

    def values(self):
        return tuple([getattr(self, name) for name in compared])

    if init:
        _set(cls, "__init__", _init(cls, fields, frozen), True)
    if repr_:
        def __repr__(self):
            return "%s(%s)" % (self.__class__.__qualname__,
                               ", ".join(["%s=%r" % (name, getattr(self, name)) for name in shown]))
        _set(cls, "__repr__", __repr__)
    if eq:
        def __eq__(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            return values(self) == values(other)
        own_hash = "__hash__" in cls.__dict__ and cls.__dict__["__hash__"] is not None
        _set(cls, "__eq__", __eq__)
        if frozen or unsafe_hash:
            def __hash__(self):
                return hash(values(self))
            _set(cls, "__hash__", __hash__, not own_hash)
        elif not own_hash:
            cls.__hash__ = None
    if order:
        def __lt__(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            return values(self) < values(other)

        def __le__(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            return values(self) <= values(other)

        def __gt__(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            return values(self) > values(other)

        def __ge__(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            return values(self) >= values(other)

        for function in (__lt__, __le__, __gt__, __ge__):
            _set(cls, function.__name__, function)
    if frozen:
        def __setattr__(self, name, value):
            raise FrozenInstanceError("cannot assign to field %r" % name)

        def __delattr__(self, name):
            raise FrozenInstanceError("cannot delete field %r" % name)

        _set(cls, "__setattr__", __setattr__, True)
        _set(cls, "__delattr__", __delattr__, True)
    if match_args:
        cls.__match_args__ = tuple([f.name for f in fields if f.init and not f.kw_only])
    return cls


def dataclass(cls=None, /, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False,
              frozen=False, match_args=True, kw_only=False, slots=False):
    def decorate(cls):
        return _process(cls, init, repr, eq, order, unsafe_hash, frozen, match_args, kw_only, slots)
    return decorate if cls is None else decorate(cls)


def fields(thing):
    return tuple(thing.__dataclass_fields__.values())


def is_dataclass(thing):
    return hasattr(thing, "__dataclass_fields__")


def _plain(value, make):
    if is_dataclass(value) and not isinstance(value, type):
        return make([(f.name, _plain(getattr(value, f.name), make)) for f in fields(value)])
    if isinstance(value, (list, tuple)):
        return type(value)([_plain(item, make) for item in value])
    if isinstance(value, dict):
        return {_plain(k, make): _plain(v, make) for k, v in value.items()}
    return _deepcopy(value)


def asdict(thing, *, dict_factory=dict):
    return _plain(thing, dict_factory)


def astuple(thing, *, tuple_factory=tuple):
    return tuple([_plain(getattr(thing, f.name), lambda pairs: tuple([v for _, v in pairs]))
                  for f in fields(thing)])


def replace(thing, /, **changes):
    for f in fields(thing):
        if f.init and f.name not in changes:
            changes[f.name] = getattr(thing, f.name)
    return thing.__class__(**changes)
