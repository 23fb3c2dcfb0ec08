"""The dataclass decorator: methods made from annotations, as closures instead of source text."""

from _thread import _local as local
from abc import update_abstractmethods
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


class InitVar:
    """An argument of __init__ that is no field; __post_init__ gets it."""

    def __init__(self, type):
        self.type = type

    def __class_getitem__(cls, type):
        return cls(type)

    def __repr__(self):
        return "dataclasses.InitVar[%s]" % getattr(self.type, "__name__", repr(self.type))


class _KwOnly:
    def __repr__(self):
        return "<dataclasses._KW_ONLY_TYPE object>"


KW_ONLY = _KwOnly()


class Field:
    __slots__ = ("name", "type", "default", "default_factory", "repr", "hash", "init", "compare", "metadata",
                 "kw_only", "_field_type")

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
        self._field_type = None

    def __set_name__(self, owner, name):
        hook = getattr(type(self.default), "__set_name__", None)
        if hook:
            hook(self.default, owner, name)

    def __repr__(self):
        return ("Field(name=%r,type=%r,default=%r,default_factory=%r,init=%r,repr=%r,hash=%r,compare=%r,metadata=%r,"
                "kw_only=%r,_field_type=%s)" % (self.name, self.type, self.default, self.default_factory, self.init,
                                                self.repr, self.hash, self.compare, self.metadata, self.kw_only,
                                                self._field_type))


def field(*, default=MISSING, default_factory=MISSING, init=True, repr=True, hash=None,
          compare=True, metadata=None, kw_only=MISSING):
    if default is not MISSING and default_factory is not MISSING:
        raise ValueError("cannot specify both default and default_factory")
    return Field(default, default_factory, init, repr, hash, compare, metadata, kw_only)


def _is_kind(kind, name):
    """Whether an annotation, kept as text if it is more than a name, is `name` or `name[...]`."""
    text = kind if isinstance(kind, str) else repr(kind)
    head = text.split("[")[0].strip()
    return head == name or head.endswith("." + name)


def _collect(cls, kw_only):
    """The fields of the bases, then its own, in order of definition."""
    fields = {}
    for base in cls.__mro__[-1:0:-1]:
        for f in getattr(base, "__dataclass_fields__", {}).values():
            fields[f.name] = f
    for name, kind in cls.__dict__.get("__annotations__", {}).items():
        if _is_kind(kind, "ClassVar"):
            continue
        if kind is KW_ONLY or isinstance(kind, str) and _is_kind(kind, "KW_ONLY"):
            kw_only = True
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
        if f.kw_only is MISSING:
            f.kw_only = kw_only
        f._field_type = "_FIELD"
        if isinstance(kind, InitVar) or kind is InitVar or isinstance(kind, str) and _is_kind(kind, "InitVar"):
            f._field_type = "_FIELD_INITVAR"
            if f.default_factory is not MISSING:
                raise TypeError("field %s cannot have a default factory" % name)
        fields[name] = f
    return fields


def _listing(names):
    if len(names) < 3:
        return " and ".join(names)
    return ", ".join(names[:-1]) + ", and " + names[-1]


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
    passed_on = set([f.name for f in fields if f._field_type == "_FIELD_INITVAR"])
    fields = [f for f in fields if f.init or f.default_factory is not MISSING or f.default is not MISSING]
    store = object.__setattr__ if frozen else setattr

    def __init__(self, *args, **kwargs):
        if len(args) > len(names):
            takes = "%d" % (len(names) + 1) if least == len(names) else "from %d to %d" % (
                least + 1, len(names) + 1)
            raise TypeError("%s.__init__() takes %s positional argument%s but %d were given"
                            % (cls.__qualname__, takes, "" if takes == "1" else "s", len(args) + 1))
        missing = []
        absent = []
        extra = []
        i = 0
        for f in fields:
            name = f.name
            if name in passed_on:
                if not f.kw_only and i < len(args):
                    extra.append(args[i])
                    i += 1
                elif name in kwargs:
                    extra.append(kwargs.pop(name))
                elif f.default is not MISSING:
                    extra.append(f.default)
                else:
                    (absent if f.kw_only else missing).append(repr(name))
                continue
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
                (absent if f.kw_only else missing).append(repr(name))
        for name in kwargs:
            raise TypeError("%s.__init__() got an unexpected keyword argument '%s'"
                            % (cls.__qualname__, name))
        for kind, left in (("positional", missing), ("keyword-only", absent)):
            if left:
                raise TypeError("%s.__init__() missing %d required %s argument%s: %s"
                                % (cls.__qualname__, len(left), kind, "s" if len(left) > 1 else "", _listing(left)))
        if post:
            self.__post_init__(*extra)

    return __init__


def _set(cls, name, function, overwrite=False):
    if overwrite or name not in cls.__dict__:
        function.__name__ = name
        function.__qualname__ = "%s.%s" % (cls.__qualname__, name)
        setattr(cls, name, function)


def _comparison(values, compare):
    def method(self, other):
        if other.__class__ is not self.__class__:
            return NotImplemented
        return compare(values(self), values(other))
    return method


_busy = local()  # objects whose repr is being made


def _process(cls, init, repr_, eq, order, unsafe_hash, frozen, match_args, kw_only, slots):
    for base in cls.__mro__[1:]:
        params = base.__dict__.get("__dataclass_params__")
        if params is not None and params["frozen"] != frozen:
            raise TypeError("cannot inherit %s dataclass from a %s one"
                            % (("non-frozen", "frozen") if params["frozen"] else ("frozen", "non-frozen")))
    table = _collect(cls, kw_only)
    cls.__dataclass_fields__ = table
    cls.__dataclass_params__ = {"init": init, "repr": repr_, "eq": eq, "order": order, "unsafe_hash": unsafe_hash,
                                "frozen": frozen}
    if order and not eq:
        raise ValueError("eq must be true if order is true")
    every = list(table.values())
    fields = [f for f in every if f._field_type == "_FIELD"]
    shown = [f.name for f in fields if f.repr]
    compared = [f.name for f in fields if f.compare]
    hashed = [f.name for f in fields if (f.compare if f.hash is None else f.hash)]

    def values(self, names=compared):
        return tuple([getattr(self, name) for name in names])

    if init:
        _set(cls, "__init__", _init(cls, every, frozen), True)
    if repr_:
        def __repr__(self):
            busy = _busy.__dict__.setdefault("ids", set())
            if id(self) in busy:
                return "..."
            busy.add(id(self))
            try:
                return "%s(%s)" % (self.__class__.__qualname__,
                                   ", ".join(["%s=%r" % (name, getattr(self, name)) for name in shown]))
            finally:
                busy.discard(id(self))
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
                return hash(values(self, hashed))
            _set(cls, "__hash__", __hash__, not own_hash)
        elif not own_hash:
            cls.__hash__ = None
    if order:
        for name in ("__lt__", "__le__", "__gt__", "__ge__"):
            _set(cls, name, _comparison(values, getattr(tuple, name)))
    if frozen:
        def __setattr__(self, name, value):
            raise FrozenInstanceError("cannot assign to field %r" % name)

        def __delattr__(self, name):
            raise FrozenInstanceError("cannot delete field %r" % name)

        _set(cls, "__setattr__", __setattr__, True)
        _set(cls, "__delattr__", __delattr__, True)
    if match_args:
        cls.__match_args__ = tuple([f.name for f in every if f.init and not f.kw_only])
    if slots:
        cls = _with_slots(cls, [f.name for f in fields])
    return update_abstractmethods(cls)


def _with_slots(cls, names):
    """The class again, with __slots__ instead of class attributes for its fields."""
    if "__slots__" in cls.__dict__:
        raise TypeError("%s already specifies __slots__" % cls.__name__)
    inherited = set()
    for base in cls.__mro__[1:-1]:
        given = base.__dict__.get("__slots__", ())
        inherited.update((given,) if isinstance(given, str) else given)
    body = {k: v for k, v in cls.__dict__.items() if k not in names and k not in ("__dict__", "__weakref__")}
    body["__slots__"] = tuple([name for name in names if name not in inherited])
    made = type(cls)(cls.__name__, cls.__bases__, body)
    made.__qualname__ = cls.__qualname__
    return made


def make_dataclass(cls_name, fields, *, bases=(), namespace=None, **options):
    body = dict(namespace or {})
    kinds = {}
    for item in fields:
        if isinstance(item, str):
            name, kind = item, "typing.Any"
        elif len(item) == 2:
            name, kind = item
        else:
            name, kind, default = item
            body[name] = default
        if not name.isidentifier():
            raise TypeError("Field names must be valid identifiers: %r" % (name,))
        if name in kinds:
            raise TypeError("Field name duplicated: %r" % (name,))
        kinds[name] = kind
    body["__annotations__"] = kinds
    return dataclass(type(cls_name, tuple(bases), body), **options)


def dataclass(cls=None, /, *, init=True, repr=True, eq=True, order=False, unsafe_hash=False,
              frozen=False, match_args=True, kw_only=False, slots=False, weakref_slot=False):
    def decorate(cls):
        return _process(cls, init, repr, eq, order, unsafe_hash, frozen, match_args, kw_only, slots)
    return decorate if cls is None else decorate(cls)


def fields(thing):
    try:
        table = thing.__dataclass_fields__
    except AttributeError:
        raise TypeError("must be called with a dataclass type or instance") from None
    return tuple([f for f in table.values() if f._field_type == "_FIELD"])


def is_dataclass(thing):
    return hasattr(thing, "__dataclass_fields__")


def _plain(value, make):
    if is_dataclass(value) and not isinstance(value, type):
        return make([(f.name, _plain(getattr(value, f.name), make)) for f in fields(value)])
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[_plain(item, make) for item in value])
    if isinstance(value, (list, tuple)):
        return type(value)([_plain(item, make) for item in value])
    if isinstance(value, dict):
        return {_plain(k, make): _plain(v, make) for k, v in value.items()}
    return _deepcopy(value)


def asdict(thing, *, dict_factory=dict):
    if isinstance(thing, type) or not is_dataclass(thing):
        raise TypeError("asdict() should be called on dataclass instances")
    return _plain(thing, dict_factory)


def astuple(thing, *, tuple_factory=tuple):
    if isinstance(thing, type) or not is_dataclass(thing):
        raise TypeError("astuple() should be called on dataclass instances")
    return tuple([_plain(getattr(thing, f.name), lambda pairs: tuple([v for _, v in pairs]))
                  for f in fields(thing)])


def replace(thing, /, **changes):
    for f in thing.__dataclass_fields__.values():
        if not f.init:
            if f.name in changes:
                raise ValueError("field %s is declared with init=False, it cannot be specified with replace()" % f.name)
        elif f.name not in changes:
            if f._field_type == "_FIELD_INITVAR":
                if f.default is MISSING:
                    raise ValueError("InitVar %r must be specified with replace()" % f.name)
                continue
            changes[f.name] = getattr(thing, f.name)
    return thing.__class__(**changes)
