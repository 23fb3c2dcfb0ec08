"""Shallow and deep copies.

Known kinds are copied by their own rules; instances through __copy__, __deepcopy__,
__reduce_ex__ where a class defines it, and else attribute by attribute.
"""


from collections import deque


class Error(Exception):
    pass


error = Error

_atomic = (int, float, bool, str, bytes, range, type, type(None), type(Ellipsis), type(NotImplemented),
           type(len), type(lambda: None), property, slice)


def _slots(kind):
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        if isinstance(slots, str):
            slots = (slots,)
        for name in slots:
            if name != "__weakref__" and name != "__dict__":
                if name.startswith("__") and not name.endswith("__"):
                    name = "_%s%s" % (base.__name__.lstrip("_"), name)
                yield name


def _state(x):
    """The attributes of an instance: (dict or None, dict of slots)."""
    slots = {}
    for name in _slots(type(x)):
        try:
            slots[name] = getattr(x, name)
        except AttributeError:
            pass
    return getattr(x, "__dict__", None), slots


def _new(kind, x):
    for base in (int, float, str, bytes, tuple, frozenset):
        if isinstance(x, base):
            return base.__new__(kind, x)
    return kind.__new__(kind)


def _saved(x):
    """What __getstate__ gives, as one value in a tuple; empty: the class does not define it."""
    return (x.__getstate__(),) if hasattr(type(x), "__getstate__") else ()


def _restore(y, state):
    if hasattr(y, "__setstate__"):
        y.__setstate__(state)
    elif isinstance(state, tuple) and len(state) == 2:
        _fill(y, state[0], state[1] or {})
    else:
        y.__dict__.update(state)


def _fill(y, attributes, slots):
    if hasattr(y, "__setstate__"):
        y.__setstate__((attributes, slots) if slots else attributes)
        return
    if attributes:
        y.__dict__.update(attributes)
    for name, value in slots.items():
        setattr(y, name, value)


def _rebuild(x, reduced, deep, memo):
    if isinstance(reduced, str):
        return x
    function, args = reduced[0], reduced[1]
    state = reduced[2] if len(reduced) > 2 else None
    items = reduced[3] if len(reduced) > 3 else None
    pairs = reduced[4] if len(reduced) > 4 else None
    if deep:
        args = tuple([deepcopy(arg, memo) for arg in args])
    y = function(*args)
    if deep:
        memo[id(x)] = y
    if state is not None:
        if deep:
            state = deepcopy(state, memo)
        _restore(y, state)
    if items is not None:
        for item in items:
            y.append(deepcopy(item, memo) if deep else item)
    if pairs is not None:
        for key, value in pairs:
            if deep:
                key = deepcopy(key, memo)
                value = deepcopy(value, memo)
            y[key] = value
    return y


def _own_reduce(kind):
    """A __reduce_ex__ or __reduce__ that a class of the script defines."""
    for base in kind.__mro__:
        if base is object:
            return None
        for name in ("__reduce_ex__", "__reduce__"):
            if name in base.__dict__:
                return name
    return None


def copy(x):
    kind = type(x)
    if kind in _atomic or issubclass(kind, type) or kind is tuple or kind is frozenset:
        return x
    if kind is list or kind is dict or kind is set or kind is bytearray:
        return x.copy()
    if hasattr(kind, "__copy__"):
        return x.__copy__()
    name = _own_reduce(kind)
    if name is not None:
        reduced = x.__reduce_ex__(4) if name == "__reduce_ex__" else x.__reduce__()
        return _rebuild(x, reduced, False, None)
    if isinstance(x, BaseException):
        y = kind(*x.args)
        y.__dict__.update(x.__dict__)
        return y
    y = _new(kind, x)
    if isinstance(x, list):
        y.extend(x)
    elif isinstance(x, (dict, set)):
        y.update(x)
    saved = _saved(x)
    if saved:
        if saved[0] is not None and saved[0] is not False:
            _restore(y, saved[0])
        return y
    attributes, slots = _state(x)
    _fill(y, attributes, slots)
    return y


def deepcopy(x, memo=None, _nil=[]):
    kind = type(x)
    if kind in _atomic or issubclass(kind, type):
        return x
    if memo is None:
        memo = {}
    key = id(x)
    y = memo.get(key, _nil)
    if y is not _nil:
        return y
    y = _deep(x, kind, memo)
    if y is not x:
        memo[key] = y
        # Keeps x alive, so that its id is not used again while the memo lives.
        memo.setdefault(id(memo), []).append(x)
    return y


def _deep(x, kind, memo):
    if kind is list:
        y = []
        memo[id(x)] = y
        for item in x:
            y.append(deepcopy(item, memo))
        return y
    if kind is dict:
        y = {}
        memo[id(x)] = y
        for key, value in x.items():
            y[deepcopy(key, memo)] = deepcopy(value, memo)
        return y
    if kind is tuple:
        items = [deepcopy(item, memo) for item in x]
        if id(x) in memo:
            return memo[id(x)]
        for a, b in zip(x, items):
            if a is not b:
                return tuple(items)
        return x
    if kind is set or kind is frozenset:
        return kind([deepcopy(item, memo) for item in x])
    if kind is bytearray:
        return x.copy()
    if hasattr(kind, "__deepcopy__"):
        return x.__deepcopy__(memo)
    name = _own_reduce(kind)
    if name is not None:
        reduced = x.__reduce_ex__(4) if name == "__reduce_ex__" else x.__reduce__()
        return _rebuild(x, reduced, True, memo)
    if isinstance(x, BaseException):
        y = kind(*deepcopy(x.args, memo))
        y.__dict__.update(deepcopy(x.__dict__, memo))
        return y
    if isinstance(x, tuple):
        y = tuple.__new__(kind, [deepcopy(item, memo) for item in x])
    else:
        y = _new(kind, x)
    memo[id(x)] = y
    if isinstance(x, list):
        for item in x:
            y.append(deepcopy(item, memo))
    elif isinstance(x, dict):
        for key, value in x.items():
            y[deepcopy(key, memo)] = deepcopy(value, memo)
    elif isinstance(x, set):
        y.update([deepcopy(item, memo) for item in x])
    elif isinstance(x, deque):
        y.__init__([deepcopy(item, memo) for item in x], x.maxlen)
    saved = _saved(x)
    if saved:
        if saved[0] is not None and saved[0] is not False:
            _restore(y, deepcopy(saved[0], memo))
        return y
    attributes, slots = _state(x)
    _fill(y, None if attributes is None else deepcopy(attributes, memo),
          {name: deepcopy(value, memo) for name, value in slots.items()})
    return y
