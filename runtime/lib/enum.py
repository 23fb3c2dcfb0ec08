"""Enumerations: classes whose attributes are a fixed set of members.

EnumType, the metaclass, lets the class body run in a dict that notices the members, makes the class without them and
then one instance per distinct value. Members are in _member_map_ (by name, with aliases) and _value2member_map_.
"""

__all__ = ["EnumType", "EnumMeta", "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum", "auto", "unique",
           "property", "verify", "member", "nonmember", "FlagBoundary", "STRICT", "CONFORM", "EJECT", "KEEP",
           "UNIQUE", "CONTINUOUS", "NAMED_FLAGS", "global_enum"]

Enum = Flag = ReprEnum = None
_plain_property = property  # this module's own `property` comes later
_Proxy = type(type.__dict__)


class nonmember:
    """Keeps a value in the class body from becoming a member."""

    def __init__(self, value):
        self.value = value


class member:
    """Makes a member of something that would not become one (a function, a class)."""

    def __init__(self, value):
        self.value = value


class auto:
    """Stands for the next value."""

    def __init__(self, value=None):
        self.value = value

    def __repr__(self):
        return "auto(%r)" % self.value


class property:
    """An attribute of members that leaves the name free for a member (`name` and `value` are such)."""

    def __init__(self, fget=None, fset=None, fdel=None, doc=None):
        self.fget = fget
        self.fset = fset
        self.fdel = fdel
        self.__doc__ = doc
        self.name = None
        self.member = None

    def __get__(self, instance, ownerclass=None):
        if instance is None:
            if self.member is not None:
                return self.member
            raise AttributeError("%r has no attribute %r" % (ownerclass, self.name))
        if self.fget is None:
            raise AttributeError("%r has no attribute %r" % (ownerclass, self.name))
        return self.fget(instance)

    def __set__(self, instance, value):
        if self.fset is None:
            raise AttributeError("<enum %r> cannot set attribute %r" % (self.clsname, self.name))
        return self.fset(instance, value)

    def __delete__(self, instance):
        if self.fdel is None:
            raise AttributeError("<enum %r> cannot delete attribute %r" % (self.clsname, self.name))
        return self.fdel(instance)

    def __set_name__(self, ownerclass, name):
        self.name = name
        self.clsname = ownerclass.__name__

    def setter(self, fset):
        return type(self)(self.fget, fset, self.fdel, self.__doc__)


DynamicClassAttribute = property


def _is_dunder(name):
    return len(name) > 4 and name[:2] == name[-2:] == "__" and name[2] != "_" and name[-3] != "_"


def _is_sunder(name):
    return len(name) > 2 and name[0] == name[-1] == "_" and name[1] != "_" and name[-2] != "_"


def _is_private(class_name, name):
    pattern = "_%s__" % class_name.lstrip("_")
    return len(name) > len(pattern) and name.startswith(pattern) and not name.endswith("__")


def _is_descriptor(thing):
    kind = type(thing)
    return hasattr(kind, "__get__") or hasattr(kind, "__set__") or hasattr(kind, "__delete__")


def _is_flag(cls):
    return Flag is not None and issubclass(cls, Flag)


def _equal_member(cls, value):
    """The member of a value that cannot be hashed, or None."""
    for item in cls._member_map_.values():
        if item._value_ == value:
            return item
    return None


def _split(text):
    """Names with commas or blanks in between."""
    return text.replace(",", " ").split()


class _EnumDict(dict):
    """The namespace of an enumeration's body."""

    def __init__(self, class_name):
        super().__init__()
        self._class_name = class_name
        self._member_names = {}
        self._last_values = []
        self._ignore = []
        self._generate_next_value = None
        self._auto_called = False

    def __setitem__(self, key, value):
        if _is_private(self._class_name, key):
            pass
        elif _is_sunder(key):
            if key not in ("_order_", "_generate_next_value_", "_missing_", "_ignore_", "_iter_member_",
                           "_iter_member_by_value_", "_iter_member_by_def_", "_numeric_repr_", "_boundary_"):
                raise ValueError("_sunder_ names, such as %r, are reserved for future Enum use" % (key,))
            if key == "_generate_next_value_":
                if self._auto_called:
                    raise TypeError("_generate_next_value_ must be defined before members")
                self._generate_next_value = value.__func__ if isinstance(value, staticmethod) else value
            elif key == "_ignore_":
                value = self._ignore = _split(value) if isinstance(value, str) else list(value)
                already = set(value) & set(self._member_names)
                if already:
                    raise ValueError("_ignore_ cannot specify already set names: %r" % (already,))
        elif _is_dunder(key):
            pass
        elif key in self._member_names:
            raise TypeError("%r already defined as %r" % (key, self[key]))
        elif key in self._ignore:
            pass
        elif isinstance(value, nonmember):
            value = value.value
        elif isinstance(value, member) or not _is_descriptor(value):
            if isinstance(value, member):
                value = value.value
            elif key in self:
                raise TypeError("%r already defined as %r" % (key, self[key]))
            value = self._resolve(key, value)
            self._member_names[key] = None
            self._last_values.append(value)
        super().__setitem__(key, value)

    def _resolve(self, key, value):
        if isinstance(value, auto):
            return self._next(key, value)
        if type(value) is tuple and any([isinstance(v, auto) for v in value]):
            return tuple([self._next(key, v) if isinstance(v, auto) else v for v in value])
        return value

    def _next(self, key, item):
        if item.value is None:
            item.value = self._generate_next_value(key, 1, len(self._member_names), self._last_values[:])
            self._auto_called = True
        return item.value

    def update(self, members, **more):
        for name, value in members.items() if hasattr(members, "keys") else members:
            self[name] = value
        for name, value in more.items():
            self[name] = value


class EnumType(type):
    @classmethod
    def __prepare__(metacls, cls, bases, *, boundary=None, **kwds):
        metacls._check_for_existing_members_(cls, bases)
        names = _EnumDict(cls)
        for base in bases:
            if Enum is not None and issubclass(base, Enum):
                names._generate_next_value = base._generate_next_value_
                break
        return names

    def __new__(metacls, cls, bases, classdict, *, boundary=None, _simple=False, **kwds):
        classdict.setdefault("_ignore_", [])
        for key in classdict["_ignore_"]:
            classdict.pop(key, None)
        classdict.pop("_ignore_")
        member_names = list(classdict._member_names)
        invalid = set(member_names) & {"mro", ""}
        if invalid:
            raise ValueError("invalid enum member name(s) %s" % ",".join([repr(n) for n in invalid]))
        values = {}
        body = {}
        for key in classdict:
            value = dict.__getitem__(classdict, key)
            if key in classdict._member_names:
                values[key] = value
            else:
                body[key] = value
        member_type, first_enum = metacls._get_mixins_(cls, bases)
        make, use_args = metacls._find_new_(body, member_type, first_enum)
        order = body.pop("_order_", None)
        own_boundary = body.pop("_boundary_", None)
        body["_member_names_"] = []
        body["_member_map_"] = {}
        body["_value2member_map_"] = {}
        body["_unhashable_values_"] = []
        body["_member_type_"] = member_type
        body["_new_member_"] = make
        body["_use_args_"] = use_args
        next_value = classdict._generate_next_value
        if next_value is not None and "_generate_next_value_" in body:
            body["_generate_next_value_"] = staticmethod(next_value)
        enum_class = super().__new__(metacls, cls, bases, body, **kwds)
        if _is_flag(enum_class):
            enum_class._boundary_ = boundary or own_boundary or getattr(first_enum, "_boundary_", None)
            enum_class._flag_mask_ = 0
            enum_class._all_bits_ = 0
        for name in member_names:
            metacls._add_member_(enum_class, name, values[name])
        metacls._finish_(enum_class, body, member_type, first_enum)
        if order is not None:
            if isinstance(order, str):
                order = _split(order)
            if order != enum_class._member_names_:
                raise TypeError("member order does not match _order_:\n  %r\n  %r" % (enum_class._member_names_, order))
        return enum_class

    @staticmethod
    def _add_member_(enum_class, name, value):
        args = value if isinstance(value, tuple) else (value,)
        if enum_class._member_type_ is tuple:
            args = (args,)
        if not enum_class._use_args_:
            item = enum_class._new_member_(enum_class)
        else:
            item = enum_class._new_member_(enum_class, *args)
        if not hasattr(item, "_value_"):
            if enum_class._member_type_ is object:
                item._value_ = value
            else:
                item._value_ = enum_class._member_type_(*args)
        value = item._value_
        item._name_ = name
        item.__objclass__ = enum_class
        item.__init__(*args)
        item._sort_order_ = len(enum_class._member_names_)
        try:
            canonical = enum_class._value2member_map_.get(value)
        except TypeError:
            canonical = _equal_member(enum_class, value)
        if canonical is not None:
            item = canonical
        elif _is_flag(enum_class) and not _single_bit(value):
            pass  # an alias of several flags: a name, but not among the members that iteration gives
        else:
            enum_class._member_names_.append(name)
        if _is_flag(enum_class) and isinstance(value, int):
            enum_class._flag_mask_ |= value
            if _single_bit(value):
                enum_class._all_bits_ = 2 ** enum_class._flag_mask_.bit_length() - 1
        descriptor = None
        for base in enum_class.__mro__[1:]:
            found = base.__dict__.get(name)
            if isinstance(found, property):
                descriptor = found
                break
        if descriptor is not None:
            redirect = property(descriptor.fget, descriptor.fset, descriptor.fdel)
            redirect.name = name
            redirect.clsname = descriptor.clsname
            redirect.member = item
            type.__setattr__(enum_class, name, redirect)
        else:
            type.__setattr__(enum_class, name, item)
        enum_class._member_map_[name] = item
        try:
            enum_class._value2member_map_.setdefault(value, item)
        except TypeError:
            enum_class._unhashable_values_.append(value)

    @staticmethod
    def _finish_(enum_class, body, member_type, first_enum):
        if ReprEnum is not None and ReprEnum in enum_class.__bases__:
            if "__format__" not in body:
                type.__setattr__(enum_class, "__format__", member_type.__format__)
            if "__str__" not in body:
                text = member_type.__str__
                if text is object.__str__:
                    text = member_type.__repr__
                type.__setattr__(enum_class, "__str__", text)
        # Names that a data type brings do not hide those of Enum.
        for name in ("__repr__", "__str__", "__format__", "__reduce_ex__"):
            if name in enum_class.__dict__ or first_enum is None:
                continue
            found = getattr(enum_class, name)
            if found is getattr(member_type, name, None) or found is getattr(object, name):
                type.__setattr__(enum_class, name, getattr(first_enum, name))
        if _is_flag(enum_class):
            for name in ("__or__", "__and__", "__xor__", "__ror__", "__rand__", "__rxor__", "__invert__"):
                if name not in body:
                    wanted = getattr(first_enum, name)
                    if getattr(enum_class, name) is not wanted:
                        type.__setattr__(enum_class, name, wanted)
        if Enum is not None and "__new__" in body:
            # Later calls look members up; the function that makes them is kept.
            type.__setattr__(enum_class, "__new_member__", body["__new__"])
        if Enum is not None:
            type.__setattr__(enum_class, "__new__", Enum.__new__)

    @classmethod
    def _check_for_existing_members_(mcls, class_name, bases):
        for chain in bases:
            for base in chain.__mro__:
                if Enum is not None and isinstance(base, EnumType) and base._member_names_:
                    raise TypeError("<enum %r> cannot extend %r" % (class_name, base))

    @classmethod
    def _get_mixins_(mcls, class_name, bases):
        """The data type that members are made of, and the enumeration that the class derives from."""
        if not bases:
            return object, Enum
        first_enum = bases[-1]
        if not isinstance(first_enum, EnumType):
            raise TypeError("new enumerations should be created as `EnumName([mixin_type, ...] [data_type,] enum_type)`")
        data_types = []
        for chain in bases:
            for base in chain.__mro__:
                if base is object:
                    continue
                if isinstance(base, EnumType):
                    if base._member_type_ is not object:
                        if base._member_type_ not in data_types:
                            data_types.append(base._member_type_)
                        break
                elif "__new__" in base.__dict__ or "__dataclass_fields__" in base.__dict__:
                    if base not in data_types:
                        data_types.append(base)
                    break
        if len(data_types) > 1:
            raise TypeError("too many data types for %r: %r" % (class_name, set(data_types)))
        return data_types[0] if data_types else object, first_enum

    @classmethod
    def _find_new_(mcls, body, member_type, first_enum):
        make = body.get("__new__")
        if make is not None:
            return (make.__func__ if isinstance(make, staticmethod) else make), True
        if first_enum is not None:
            make = getattr(first_enum, "__new_member__", None)
            if make is not None:
                return make, True
        if member_type is object:
            return object.__new__, False
        return member_type.__new__, True

    def __bool__(cls):
        return True

    def __call__(cls, value, names=None, *, module=None, qualname=None, type=None, start=1, boundary=None):
        if names is None:
            return cls.__new__(cls, value)
        return cls._create_(value, names, module=module, qualname=qualname, type=type, start=start, boundary=boundary)

    def _create_(cls, class_name, names, *, module=None, qualname=None, type=None, start=1, boundary=None):
        metacls = cls.__class__
        bases = (cls,) if type is None else (type, cls)
        classdict = metacls.__prepare__(class_name, bases)
        if isinstance(names, str):
            names = _split(names)
        if isinstance(names, (tuple, list)) and names and isinstance(names[0], str):
            last = []
            pairs = []
            for count, name in enumerate(names):
                value = cls._generate_next_value_(name, start, count, last[:])
                last.append(value)
                pairs.append((name, value))
            names = pairs
        for item in names:
            if isinstance(item, str):
                name, value = item, names[item]
            else:
                name, value = item
            classdict[name] = value
        if module is None:
            import sys
            module = sys._getframe(2).f_globals.get("__name__")
        classdict["__module__"] = module
        if qualname is not None:
            classdict["__qualname__"] = qualname
        return metacls.__new__(metacls, class_name, bases, classdict, boundary=boundary)

    def __contains__(cls, value):
        if not isinstance(value, Enum):
            raise TypeError("unsupported operand type(s) for 'in': '%s' and '%s'"
                            % (type(value).__qualname__, cls.__class__.__qualname__))
        return isinstance(value, cls) and value._name_ in cls._member_map_

    def __getattr__(cls, name):
        raise AttributeError(name)

    def __delattr__(cls, attr):
        if attr in cls._member_map_:
            raise AttributeError("%r cannot delete member %r." % (cls.__name__, attr))
        super().__delattr__(attr)

    def __setattr__(cls, name, value):
        if name in cls.__dict__.get("_member_map_", {}):
            raise AttributeError("cannot reassign member %r" % (name,))
        super().__setattr__(name, value)

    def __dir__(cls):
        return sorted(set(["__class__", "__contains__", "__doc__", "__getitem__", "__init_subclass__", "__iter__",
                           "__len__", "__members__", "__module__", "__name__", "__qualname__"] + cls._member_names_))

    def __getitem__(cls, name):
        return cls._member_map_[name]

    def __iter__(cls):
        return iter([cls._member_map_[name] for name in cls._member_names_])

    def __len__(cls):
        return len(cls._member_names_)

    def __reversed__(cls):
        return reversed([cls._member_map_[name] for name in cls._member_names_])

    def __repr__(cls):
        if _is_flag(cls):
            return "<flag %r>" % cls.__name__
        return "<enum %r>" % cls.__name__

    @_plain_property
    def __members__(cls):
        return _Proxy(cls._member_map_)


EnumMeta = EnumType


class Enum(metaclass=EnumType):
    def __new__(cls, value):
        if type(value) is cls:
            return value
        try:
            return cls._value2member_map_[value]
        except KeyError:
            pass
        except TypeError:
            item = _equal_member(cls, value)
            if item is not None:
                return item
        try:
            failure = None
            result = cls._missing_(value)
        except Exception as e:
            failure = e
            result = None
        try:
            if isinstance(result, cls):
                return result
            if _is_flag(cls) and cls._boundary_ is EJECT and isinstance(result, int):
                return result
            error = ValueError("%r is not a valid %s" % (value, cls.__qualname__))
            if result is None and failure is None:
                raise error
            if failure is None:
                failure = TypeError("error in %s._missing_: returned %r instead of None or a valid member"
                                    % (cls.__name__, result))
            if not isinstance(failure, ValueError):
                failure.__context__ = error
            raise failure
        finally:
            failure = None
            error = None

    def __init__(self, *args, **kwds):
        pass

    def _generate_next_value_(name, start, count, last_values):
        if not last_values:
            return start
        try:
            highest = max(last_values)
        except TypeError:
            for last in reversed(last_values):
                try:
                    return last + 1
                except TypeError:
                    pass
            return start
        try:
            return highest + 1
        except TypeError:
            return start

    _generate_next_value_ = staticmethod(_generate_next_value_)

    @classmethod
    def _missing_(cls, value):
        return None

    def __repr__(self):
        return "<%s.%s: %r>" % (self.__class__.__name__, self._name_, self._value_)

    def __str__(self):
        return "%s.%s" % (self.__class__.__name__, self._name_)

    def __dir__(self):
        names = ["__class__", "__doc__", "__eq__", "__hash__", "__module__", "name", "value"]
        for cls in self.__class__.__mro__:
            for name in cls.__dict__:
                if name[0] != "_" and name not in self._member_map_:
                    names.append(name)
        return sorted(set(names))

    def __format__(self, format_spec):
        return str.__format__(str(self), format_spec)

    def __hash__(self):
        return hash(self._name_)

    def __reduce_ex__(self, proto):
        return self.__class__, (self._value_,)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    @property
    def name(self):
        return self._name_

    @property
    def value(self):
        return self._value_


class ReprEnum(Enum):
    """Only the repr is the enumeration's; str and format are the data type's."""


class IntEnum(int, ReprEnum):
    pass


class StrEnum(str, ReprEnum):
    def __new__(cls, *values):
        if len(values) > 3:
            raise TypeError("too many arguments for str(): %r" % (values,))
        if len(values) == 1 and not isinstance(values[0], str):
            raise TypeError("%r is not a string" % (values[0],))
        value = str(*values)
        item = str.__new__(cls, value)
        item._value_ = value
        return item

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return name.lower()


class FlagBoundary(StrEnum):
    STRICT = auto()
    CONFORM = auto()
    EJECT = auto()
    KEEP = auto()


STRICT = FlagBoundary.STRICT
CONFORM = FlagBoundary.CONFORM
EJECT = FlagBoundary.EJECT
KEEP = FlagBoundary.KEEP


def _single_bit(value):
    return isinstance(value, int) and value > 0 and value & (value - 1) == 0


def _bits(value):
    while value:
        bit = value & -value
        yield bit
        value ^= bit


class Flag(Enum):
    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        if not last_values:
            return start if start is not None else 1
        last = max(last_values)
        try:
            return 2 ** last.bit_length()
        except Exception:
            raise TypeError("invalid flag value %r" % last) from None

    @classmethod
    def _missing_(cls, value):
        if not isinstance(value, int):
            raise ValueError("%r is not a valid %s" % (value, cls.__qualname__))
        mask = cls._flag_mask_
        every = cls._all_bits_
        negative = None
        if not ~every <= value <= every or value & (every ^ mask):
            if cls._boundary_ is STRICT:
                width = max(value.bit_length(), mask.bit_length())
                raise ValueError("%r invalid value %r\n    given %s\n  allowed %s"
                                 % (cls, value, _binary(value, width), _binary(mask, width)))
            elif cls._boundary_ is CONFORM:
                value = value & mask
            elif cls._boundary_ is EJECT:
                return value
            elif value < 0:
                value = max(every + 1, 2 ** value.bit_length()) + value
        if value < 0:
            negative = value
            value = every + 1 + value
        unknown = value & ~mask
        item = cls._value2member_map_.get(value)
        if item is None:
            if cls._member_type_ is object:
                item = object.__new__(cls)
            else:
                item = cls._member_type_.__new__(cls, value)
            item._value_ = value
            names = [m._name_ for m in cls._iter_member_(value)]
            if names:
                name = "|".join(names)
                if unknown:
                    name += "|%s" % cls._numeric_repr_(unknown)
                item._name_ = name
            else:
                item._name_ = None
            item = cls._value2member_map_.setdefault(value, item)
        if negative is not None:
            cls._value2member_map_[negative] = item
        return item

    _numeric_repr_ = staticmethod(repr)

    @classmethod
    def _iter_member_(cls, value):
        for bit in _bits(value & cls._flag_mask_):
            item = cls._value2member_map_.get(bit)
            if item is not None:
                yield item

    def __contains__(self, other):
        if not isinstance(other, self.__class__):
            raise TypeError("unsupported operand type(s) for 'in': '%s' and '%s'"
                            % (type(other).__qualname__, self.__class__.__qualname__))
        return other._value_ & self._value_ == other._value_

    def __iter__(self):
        yield from self._iter_member_(self._value_)

    def __len__(self):
        return self._value_.bit_count()

    def __repr__(self):
        name = self.__class__.__name__
        if self._name_ is None:
            return "<%s: %r>" % (name, self._value_)
        return "<%s.%s: %r>" % (name, self._name_, self._value_)

    def __str__(self):
        name = self.__class__.__name__
        if self._name_ is None:
            return "%s(%r)" % (name, self._value_)
        return "%s.%s" % (name, self._name_)

    def __bool__(self):
        return bool(self._value_)

    def _operand(self, other):
        if isinstance(other, self.__class__):
            return other._value_
        if self._member_type_ is not object and isinstance(other, self._member_type_):
            return other
        return None

    def __or__(self, other):
        value = self._operand(other)
        return NotImplemented if value is None else self.__class__(self._value_ | value)

    def __and__(self, other):
        value = self._operand(other)
        return NotImplemented if value is None else self.__class__(self._value_ & value)

    def __xor__(self, other):
        value = self._operand(other)
        return NotImplemented if value is None else self.__class__(self._value_ ^ value)

    def __invert__(self):
        if self._boundary_ in (EJECT, KEEP):
            return self.__class__(~self._value_)
        return self.__class__(self._flag_mask_ & ~self._value_)

    __ror__ = __or__
    __rand__ = __and__
    __rxor__ = __xor__


Flag._boundary_ = STRICT  # the class statement came before the name meant anything
Flag._flag_mask_ = Flag._all_bits_ = 0


def _binary(value, width):
    """0b0 101: a sign bit, then `width` digits."""
    if value >= 0:
        digits = bin(value)[2:]
        sign = "0"
    else:
        digits = bin(~value ^ (2 ** width - 1))[2:]
        sign = "1"
    return "0b%s %s" % (sign, digits.rjust(width, sign))


class IntFlag(int, ReprEnum, Flag, boundary=KEEP):
    pass


def _aliases(enumeration):
    return ", ".join(["%s -> %s" % (name, item.name) for name, item in enumeration.__members__.items() if name != item.name])


def unique(enumeration):
    """Class decorator: no two names for one value."""
    aliases = _aliases(enumeration)
    if aliases:
        raise ValueError("duplicate values found in %r: %s" % (enumeration, aliases))
    return enumeration


class EnumCheck(StrEnum):
    CONTINUOUS = "no skipped integer values"
    NAMED_FLAGS = "multi-flag aliases may not contain unnamed flags"
    UNIQUE = "one name per value"


CONTINUOUS = EnumCheck.CONTINUOUS
NAMED_FLAGS = EnumCheck.NAMED_FLAGS
UNIQUE = EnumCheck.UNIQUE


class verify:
    """Class decorator that checks what it is given: UNIQUE, CONTINUOUS, NAMED_FLAGS."""

    def __init__(self, *checks):
        self.checks = checks

    def __call__(self, enumeration):
        for check in self.checks:
            if check is UNIQUE:
                aliases = _aliases(enumeration)
                if aliases:
                    raise ValueError("aliases found in %r: %s" % (enumeration, aliases))
            elif check is CONTINUOUS:
                values = set([item.value for item in enumeration])
                if len(values) < 2:
                    continue
                low, high = min(values), max(values)
                if issubclass(enumeration, Flag):
                    missing = [2 ** i for i in range(low.bit_length(), high.bit_length()) if 2 ** i not in values]
                else:
                    missing = [i for i in range(low + 1, high) if i not in values]
                if missing:
                    raise ValueError("invalid %s %r: missing values %s"
                                     % ("flag" if issubclass(enumeration, Flag) else "enum", enumeration.__name__,
                                        ", ".join([str(m) for m in missing])))
            elif check is NAMED_FLAGS:
                named = 0
                for item in enumeration:
                    named |= item.value
                for name, item in enumeration.__members__.items():
                    if item.value & ~named:
                        raise ValueError("invalid Flag %r: alias %s is missing value %s "
                                         "[use enum.show_flag_values(value) for details]"
                                         % (enumeration.__name__, name, hex(item.value & ~named)))
        return enumeration


def show_flag_values(value):
    return list(_bits(value))


def global_enum(cls):
    """Puts the members into the module that defines the class."""
    import sys
    sys.modules[cls.__module__].__dict__.update(cls.__members__)
    return cls
