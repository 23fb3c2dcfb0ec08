"""Printing nested data over several lines, as CPython's module lays it out."""

import sys
import types


def pprint(object, stream=None, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
    PrettyPrinter(stream=stream, indent=indent, width=width, depth=depth, compact=compact, sort_dicts=sort_dicts,
                  underscore_numbers=underscore_numbers).pprint(object)


def pformat(object, indent=1, width=80, depth=None, *, compact=False, sort_dicts=True, underscore_numbers=False):
    return PrettyPrinter(indent=indent, width=width, depth=depth, compact=compact, sort_dicts=sort_dicts,
                         underscore_numbers=underscore_numbers).pformat(object)


def pp(object, *args, sort_dicts=False, **kwargs):
    pprint(object, *args, sort_dicts=sort_dicts, **kwargs)


def saferepr(object):
    return PrettyPrinter()._safe(object, {}, None, 0)[0]


def isreadable(object):
    return PrettyPrinter()._safe(object, {}, None, 0)[1]


def isrecursive(object):
    return PrettyPrinter()._safe(object, {}, None, 0)[2]


class _Key:
    """Sorts anything: by <, or by type and address."""

    def __init__(self, obj):
        self.obj = obj

    def __lt__(self, other):
        try:
            return self.obj < other.obj
        except TypeError:
            return (str(type(self.obj)), id(self.obj)) < (str(type(other.obj)), id(other.obj))


class _PairKey:
    def __init__(self, pair):
        self.keys = _Key(pair[0]), _Key(pair[1])

    def __lt__(self, other):
        for a, b in zip(self.keys, other.keys):
            if a < b:
                return True
            if b < a:
                return False
        return False


def _recursion(object):
    return "<Recursion on %s with id=%s>" % (type(object).__name__, id(object))


class PrettyPrinter:
    def __init__(self, indent=1, width=80, depth=None, stream=None, *, compact=False, sort_dicts=True,
                 underscore_numbers=False):
        if indent < 0:
            raise ValueError("indent must be >= 0")
        if depth is not None and depth <= 0:
            raise ValueError("depth must be > 0")
        if not width:
            raise ValueError("width must be != 0")
        self._indent = indent
        self._width = width
        self._depth = depth
        self._stream = stream
        self._compact = compact
        self._sort = sort_dicts
        self._underscore = underscore_numbers

    def pprint(self, object):
        print(self.pformat(object), file=sys.stdout if self._stream is None else self._stream)

    def pformat(self, object):
        out = []
        self._format(object, out, 0, 0, {}, 0)
        return "".join(out)

    def isreadable(self, object):
        _, readable, recursive = self.format(object, {}, 0, 0)
        return readable and not recursive

    def isrecursive(self, object):
        return self.format(object, {}, 0, 0)[2]

    def format(self, object, context, maxlevels, level):
        return self._safe(object, context, maxlevels, level)

    def _repr(self, object, context, level):
        return self.format(object, context.copy(), self._depth, level)[0]

    def _format(self, object, out, indent, allowance, context, level):
        if id(object) in context:
            out.append(_recursion(object))
            return
        text = self._repr(object, context, level)
        if len(text) > self._width - indent - allowance:
            write = self._writer(object)
            if write is not None:
                context[id(object)] = 1
                write(object, out, indent, allowance, context, level + 1)
                del context[id(object)]
                return
        out.append(text)

    def _writer(self, object):
        method = type(object).__repr__
        for kind, write in ((dict, self._dict), (list, self._list), (tuple, self._tuple), (set, self._set),
                            (frozenset, self._set), (str, self._str), (bytes, self._bytes),
                            (bytearray, self._bytearray), (types.MappingProxyType, self._proxy),
                            (types.SimpleNamespace, self._namespace)):
            if isinstance(object, kind) and method is kind.__repr__:
                return write
        name = type(object).__name__
        if name == "OrderedDict":
            return self._ordered
        if name == "defaultdict":
            return self._defaultdict
        if name == "Counter":
            return self._counter
        if name == "deque":
            return self._deque
        if name == "ChainMap":
            return self._chain
        if hasattr(type(object), "__dataclass_fields__") and "__create_fn__" not in method.__qualname__:
            return self._dataclass
        return None

    def _items_of(self, object):
        return sorted(object.items(), key=_PairKey) if self._sort else object.items()

    def _dict(self, object, out, indent, allowance, context, level):
        out.append("{")
        if self._indent > 1:
            out.append((self._indent - 1) * " ")
        if object:
            self._dict_items(self._items_of(object), out, indent, allowance + 1, context, level)
        out.append("}")

    def _dict_items(self, items, out, indent, allowance, context, level):
        indent += self._indent
        between = ",\n" + " " * indent
        items = list(items)
        for i, (key, value) in enumerate(items):
            last = i == len(items) - 1
            text = self._repr(key, context, level)
            out.append(text)
            out.append(": ")
            self._format(value, out, indent + len(text) + 2, allowance if last else 1, context, level)
            if not last:
                out.append(between)

    def _list(self, object, out, indent, allowance, context, level):
        out.append("[")
        self._items(object, out, indent, allowance + 1, context, level)
        out.append("]")

    def _tuple(self, object, out, indent, allowance, context, level):
        out.append("(")
        end = ",)" if len(object) == 1 else ")"
        self._items(object, out, indent, allowance + len(end), context, level)
        out.append(end)

    def _set(self, object, out, indent, allowance, context, level):
        if not object:
            out.append(repr(object))
            return
        if type(object) is set:
            out.append("{")
            end = "}"
        else:
            out.append(type(object).__name__ + "({")
            end = "})"
            indent += len(type(object).__name__) + 1
        self._items(sorted(object, key=_Key), out, indent, allowance + len(end), context, level)
        out.append(end)

    def _items(self, items, out, indent, allowance, context, level):
        indent += self._indent
        if self._indent > 1:
            out.append((self._indent - 1) * " ")
        between = ",\n" + " " * indent
        mark = ""
        width = room = self._width - indent + 1
        items = list(items)
        for i, item in enumerate(items):
            last = i == len(items) - 1
            if last:
                room -= allowance
                width -= allowance
            if self._compact:
                text = self._repr(item, context, level)
                w = len(text) + 2
                if width < w:
                    width = room
                    if mark:
                        mark = between
                if width >= w:
                    width -= w
                    out.append(mark)
                    mark = ", "
                    out.append(text)
                    continue
            out.append(mark)
            mark = between
            self._format(item, out, indent, allowance if last else 1, context, level)

    def _str(self, object, out, indent, allowance, context, level):
        if not object:
            out.append(repr(object))
            return
        chunks = []
        lines = object.splitlines(True)
        if level == 1:
            indent += 1
            allowance += 1
        room = width = self._width - indent
        text = ""
        for i, line in enumerate(lines):
            text = repr(line)
            if i == len(lines) - 1:
                width -= allowance
            if len(text) <= width:
                chunks.append(text)
                continue
            parts = _words(line)
            width2 = room
            current = ""
            for j, part in enumerate(parts):
                candidate = current + part
                if j == len(parts) - 1 and i == len(lines) - 1:
                    width2 -= allowance
                if len(repr(candidate)) > width2:
                    if current:
                        chunks.append(repr(current))
                    current = part
                else:
                    current = candidate
            if current:
                chunks.append(repr(current))
        if len(chunks) == 1:
            out.append(text)
            return
        if level == 1:
            out.append("(")
        for i, chunk in enumerate(chunks):
            if i > 0:
                out.append("\n" + " " * indent)
            out.append(chunk)
        if level == 1:
            out.append(")")

    def _bytes(self, object, out, indent, allowance, context, level):
        if len(object) <= 4:
            out.append(repr(object))
            return
        outermost = level == 1
        if outermost:
            indent += 1
            allowance += 1
        width = self._width - indent
        chunks = []
        current = b""
        for i in range(0, len(object), 4):  # four bytes stay together
            piece = object[i:i + 4]
            if i + 4 > len(object) or i == len(object) // 4 * 4:
                width -= allowance
            if current and len(repr(current + piece)) > width:
                chunks.append(current)
                current = piece
            else:
                current += piece
        chunks.append(current)
        text = ("\n" + " " * indent).join([repr(chunk) for chunk in chunks])
        out.append("(%s)" % text if outermost else text)

    def _bytearray(self, object, out, indent, allowance, context, level):
        out.append("bytearray(")
        self._bytes(bytes(object), out, indent + 10, allowance + 1, context, level + 1)
        out.append(")")

    def _proxy(self, object, out, indent, allowance, context, level):
        out.append("mappingproxy(")
        self._format(object.copy(), out, indent + 13, allowance + 1, context, level)
        out.append(")")

    def _chain(self, object, out, indent, allowance, context, level):
        name = type(object).__name__
        indent += len(name) + 1
        out.append(name + "(")
        for i, part in enumerate(object.maps):
            last = i == len(object.maps) - 1
            self._format(part, out, indent, allowance + 1 if last else 1, context, level)
            out.append(")" if last else ",\n" + " " * indent)

    def _ordered(self, object, out, indent, allowance, context, level):
        if not object:
            out.append(repr(object))
            return
        name = type(object).__name__
        out.append(name + "(")
        self._format(list(object.items()), out, indent + len(name) + 1, allowance + 1, context, level)
        out.append(")")

    def _defaultdict(self, object, out, indent, allowance, context, level):
        if not object:
            out.append(repr(object))
            return
        factory = self._repr(object.default_factory, context, level)
        indent += len(type(object).__name__) + 1
        out.append("%s(%s,\n%s" % (type(object).__name__, factory, " " * indent))
        self._dict(object, out, indent, allowance + 1, context, level)
        out.append(")")

    def _counter(self, object, out, indent, allowance, context, level):
        if not object:
            out.append(repr(object))
            return
        name = type(object).__name__
        out.append(name + "({")
        if self._indent > 1:
            out.append((self._indent - 1) * " ")
        self._dict_items(object.most_common(), out, indent + len(name) + 1, allowance + 2, context, level)
        out.append("})")

    def _deque(self, object, out, indent, allowance, context, level):
        if not object:
            out.append(repr(object))
            return
        name = type(object).__name__
        out.append(name + "(")
        indent += len(name) + 1
        out.append("[")
        if object.maxlen is None:
            self._items(object, out, indent, allowance + 2, context, level)
            out.append("])")
        else:
            self._items(object, out, indent, 2, context, level)
            text = self._repr(object.maxlen, context, level)
            out.append("],\n%smaxlen=%s)" % (" " * indent, text))

    def _dataclass(self, object, out, indent, allowance, context, level):
        fields = [f.name for f in type(object).__dataclass_fields__.values() if f.repr]
        pairs = [(field, getattr(object, field)) for field in fields]
        self._fields(type(object).__name__, pairs, out, indent, allowance, context, level)

    def _namespace(self, object, out, indent, allowance, context, level):
        name = "namespace" if type(object) is types.SimpleNamespace else type(object).__name__
        self._fields(name, list(object.__dict__.items()), out, indent, allowance, context, level)

    def _fields(self, name, pairs, out, indent, allowance, context, level):
        indent += len(name) + 1
        out.append(name + "(")
        between = ",\n" + " " * indent
        for i, (field, value) in enumerate(pairs):
            last = i == len(pairs) - 1
            out.append(field)
            out.append("=")
            if id(value) in context:
                out.append("...")
            else:
                self._format(value, out, indent + len(field) + 1, allowance if last else 1, context, level)
            if not last:
                out.append(between)
        out.append(")")

    def _safe(self, object, context, maxlevels, level):
        """Text, readable?, recursive?"""
        kind = type(object)
        if kind is int and self._underscore:
            return format(object, "_d"), True, False
        method = getattr(kind, "__repr__", None)
        if issubclass(kind, dict) and method is dict.__repr__:
            opening, closing = "{", "}"
        elif issubclass(kind, list) and method is list.__repr__:
            opening, closing = "[", "]"
        elif issubclass(kind, tuple) and method is tuple.__repr__:
            opening, closing = "(", ",)" if len(object) == 1 else ")"
        else:
            text = repr(object)
            return text, bool(text) and not text.startswith("<"), False
        if not object:
            return opening + closing.strip(","), True, False
        if maxlevels and level >= maxlevels:
            return opening + "..." + closing.strip(","), False, id(object) in context
        if id(object) in context:
            return _recursion(object), False, True
        context[id(object)] = 1
        readable, recursive = True, False
        parts = []
        level += 1
        if opening == "{":
            for key, value in self._items_of(object):
                a, ok1, again1 = self.format(key, context, maxlevels, level)
                b, ok2, again2 = self.format(value, context, maxlevels, level)
                parts.append("%s: %s" % (a, b))
                readable = readable and ok1 and ok2
                recursive = recursive or again1 or again2
        else:
            for item in object:
                a, ok, again = self.format(item, context, maxlevels, level)
                parts.append(a)
                readable = readable and ok
                recursive = recursive or again
        del context[id(object)]
        return opening + ", ".join(parts) + closing, readable, recursive


def _words(line):
    """Pieces of non-space with the spaces after them."""
    parts = []
    i, n = 0, len(line)
    while i < n:
        j = i
        while j < n and not line[j].isspace():
            j += 1
        while j < n and line[j].isspace():
            j += 1
        parts.append(line[i:j])
        i = j
    return parts
