"""Names for annotations.  They do nothing: X[...] is X."""


class _Name:
    def __init__(self, name):
        self._name = name

    def __getitem__(self, key):
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __or__(self, other):
        return self

    def __ror__(self, other):
        return self

    def __repr__(self):
        return "typing." + self._name


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


class Protocol:
    __slots__ = ()

    @classmethod
    def __class_getitem__(cls, item):
        return cls


def TypeVar(name, *constraints, **options):
    return _Name(name)


def NewType(name, kind):
    return kind


def cast(kind, value):
    return value


def overload(function):
    return function


def final(thing):
    return thing


def runtime_checkable(cls):
    return cls


def no_type_check(thing):
    return thing


def get_type_hints(thing):
    return dict(getattr(thing, "__annotations__", {}))


def NamedTuple(name, fields):
    from collections import namedtuple
    return namedtuple(name, [field for field, _ in fields])
