"""Names for annotations.  They do nothing: X[...] is X.  Protocol, NamedTuple and TypedDict make classes."""

from abc import ABCMeta


class _Name:
    def __init__(self, name):
        self._name = name

    def __getitem__(self, key):
        return self

    def __mro_entries__(self, bases):
        base = _BASES.get(self._name, object)
        return () if base is object else (base,)

    def __call__(self, *args, **kwargs):
        return self

    def __or__(self, other):
        return self

    def __ror__(self, other):
        return self

    def __repr__(self):
        return "typing." + self._name


_BASES = {"List": list, "Dict": dict, "Set": set, "FrozenSet": frozenset, "Tuple": tuple, "Type": type}

Any = _Name("Any")
Union = _Name("Union")
Optional = _Name("Optional")
Callable = _Name("Callable")
Type = _Name("Type")
List = _Name("List")
Dict = _Name("Dict")
Set = _Name("Set")
FrozenSet = _Name("FrozenSet")
Tuple = _Name("Tuple")
Deque = _Name("Deque")
DefaultDict = _Name("DefaultDict")
Iterable = _Name("Iterable")
Iterator = _Name("Iterator")
Generator = _Name("Generator")
Sequence = _Name("Sequence")
MutableSequence = _Name("MutableSequence")
Mapping = _Name("Mapping")
MutableMapping = _Name("MutableMapping")
Hashable = _Name("Hashable")
Sized = _Name("Sized")
Collection = _Name("Collection")
Literal = _Name("Literal")
Final = _Name("Final")
ClassVar = _Name("ClassVar")
Annotated = _Name("Annotated")
NoReturn = _Name("NoReturn")
Self = _Name("Self")
Awaitable = _Name("Awaitable")
Coroutine = _Name("Coroutine")
AsyncIterator = _Name("AsyncIterator")
AsyncIterable = _Name("AsyncIterable")
Counter = _Name("Counter")
OrderedDict = _Name("OrderedDict")
ChainMap = _Name("ChainMap")
Container = _Name("Container")
Reversible = _Name("Reversible")
AbstractSet = _Name("AbstractSet")
MutableSet = _Name("MutableSet")
ByteString = _Name("ByteString")
Concatenate = _Name("Concatenate")
TypeAlias = _Name("TypeAlias")
TypeGuard = _Name("TypeGuard")
Never = _Name("Never")
LiteralString = _Name("LiteralString")
Required = _Name("Required")
NotRequired = _Name("NotRequired")
Unpack = _Name("Unpack")
Text = str
AnyStr = _Name("AnyStr")
IO = _Name("IO")
TextIO = _Name("TextIO")
BinaryIO = _Name("BinaryIO")
Pattern = _Name("Pattern")
SupportsInt = _Name("SupportsInt")
TYPE_CHECKING = False


class Generic:
    __slots__ = ()

    @classmethod
    def __class_getitem__(cls, item):
        return cls


class _ProtocolMeta(ABCMeta):
    """isinstance() against a protocol asks for its attributes, if it is marked by runtime_checkable."""

    def __instancecheck__(cls, instance):
        if not cls.__dict__.get("_is_protocol", False):
            return super().__instancecheck__(instance)
        if not cls.__dict__.get("_is_runtime_protocol", False):
            raise TypeError("Instance and class checks can only be used with @runtime_checkable protocols")
        if super().__instancecheck__(instance):
            return True
        return all([hasattr(instance, name) for name in _protocol_names(cls)])


def _protocol_names(cls):
    names = []
    for base in cls.__mro__[:-1]:
        if base.__name__ in ("Protocol", "Generic"):
            continue
        for name in list(base.__dict__) + list(base.__dict__.get("__annotations__", {})):
            if name not in _NO_MEMBERS and not name.startswith("_abc_"):
                names.append(name)
    return names


_NO_MEMBERS = ("__abstractmethods__", "__annotations__", "__dict__", "__doc__", "__init__", "__module__", "__new__",
               "__slots__", "__subclasshook__", "__weakref__", "__class_getitem__", "_is_protocol",
               "_is_runtime_protocol", "__qualname__", "__parameters__", "__orig_bases__")


class Protocol(metaclass=_ProtocolMeta):
    __slots__ = ()
    _is_protocol = True
    _is_runtime_protocol = False

    def __init_subclass__(cls, *args, **kwargs):
        super().__init_subclass__(*args, **kwargs)
        if "_is_protocol" not in cls.__dict__:
            cls._is_protocol = Protocol in cls.__bases__
        if not cls._is_protocol:
            return
        if cls.__init__ is object.__init__:
            cls.__init__ = _no_init

    @classmethod
    def __class_getitem__(cls, item):
        return cls


def _no_init(self, *args, **kwargs):
    if type(self).__dict__.get("_is_protocol", False):
        raise TypeError("Protocols cannot be instantiated")


def TypeVar(name, *constraints, **options):
    return _Name(name)


def ParamSpec(name, **options):
    made = _Name(name)
    made.args = made.kwargs = made
    return made


def TypeVarTuple(name):
    return _Name(name)


def NewType(name, kind):
    return kind


def get_origin(kind):
    return None


def get_args(kind):
    return ()


def assert_type(value, kind):
    return value


def assert_never(value):
    raise AssertionError("Expected code to be unreachable, but got: %r" % (value,))


def reveal_type(value):
    return value


def cast(kind, value):
    return value


def overload(function):
    return function


def final(thing):
    return thing


def runtime_checkable(cls):
    cls._is_runtime_protocol = True
    return cls


def no_type_check(thing):
    return thing


def get_type_hints(thing):
    return dict(getattr(thing, "__annotations__", {}))


def NamedTuple(name, fields=None, /, **kwargs):
    from collections import namedtuple
    fields = list(kwargs.items() if fields is None else fields)
    made = namedtuple(name, [field for field, _ in fields])
    made.__annotations__ = dict(fields)
    return made


class _NamedTupleMeta(type):
    def __new__(cls, name, bases, ns):
        from collections import namedtuple
        kinds = ns.get("__annotations__", {})
        defaults = []
        for field in kinds:
            if field in ns:
                defaults.append(field)
            elif defaults:
                raise TypeError("Non-default namedtuple field %s cannot follow default field%s %s"
                                % (field, "s" if len(defaults) > 1 else "", ", ".join(defaults)))
        made = namedtuple(name, list(kinds), defaults=[ns[field] for field in defaults])
        made.__module__ = ns["__module__"]
        made.__annotations__ = kinds
        for key, value in ns.items():
            if key in ("__new__", "__init__", "__slots__", "__getnewargs__", "_fields", "_field_defaults",
                       "_make", "_replace", "_asdict"):
                raise AttributeError("Cannot overwrite NamedTuple attribute " + key)
            if key not in kinds and key not in ("__module__", "__name__", "__annotations__", "__qualname__",
                                                "__classcell__", "__orig_bases__"):
                setattr(made, key, value)
        return made


_NamedTuple = type.__new__(_NamedTupleMeta, "NamedTuple", (), {})
NamedTuple.__mro_entries__ = lambda bases: (_NamedTuple,)


class _TypedDictMeta(type):
    def __new__(cls, name, bases, ns, total=True):
        made = type.__new__(cls, name, (dict,), {k: v for k, v in ns.items() if k != "__orig_bases__"})
        kinds = {}
        for base in bases:
            kinds.update(base.__dict__.get("__annotations__", {}))
        kinds.update(ns.get("__annotations__", {}))
        made.__annotations__ = kinds
        made.__total__ = total
        return made

    def __call__(cls, /, *args, **kwargs):
        return dict(*args, **kwargs)


def TypedDict(name, fields=None, /, *, total=True, **kwargs):
    return _TypedDictMeta(name, (), {"__annotations__": dict(fields or kwargs)}, total=total)


_TypedDict = type.__new__(_TypedDictMeta, "TypedDict", (), {})
TypedDict.__mro_entries__ = lambda bases: (_TypedDict,)
