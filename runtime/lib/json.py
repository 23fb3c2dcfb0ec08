"""JSON: dumps, loads, dump, load.

What has no hooks and no surprises is done natively; all else, errors among it, here.
"""

import _json


class JSONDecodeError(ValueError):
    def __init__(self, msg, doc, pos):
        line = doc.count("\n", 0, pos) + 1
        column = pos - doc.rfind("\n", 0, pos)
        ValueError.__init__(self, "%s: line %d column %d (char %d)" % (msg, line, column, pos))
        self.msg = msg
        self.doc = doc
        self.pos = pos
        self.lineno = line
        self.colno = column


_escapes = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
for _i in range(32):
    _escapes.setdefault(chr(_i), "\\u%04x" % _i)


def _plain(text):
    """Nothing in it has to be escaped."""
    if '"' in text or "\\" in text:
        return False
    return text.isascii() and text.isprintable()


def _quote(text, ensure_ascii):
    if _plain(text):
        return '"' + text + '"'
    parts = ['"']
    for c in text:
        if c in _escapes:
            parts.append(_escapes[c])
        elif ensure_ascii and c > "\x7e":
            n = ord(c)
            if n > 0xffff:
                n -= 0x10000
                parts.append("\\u%04x\\u%04x" % (0xd800 | (n >> 10), 0xdc00 | (n & 0x3ff)))
            else:
                parts.append("\\u%04x" % n)
        else:
            parts.append(c)
    parts.append('"')
    return "".join(parts)


class JSONEncoder:
    def __init__(self, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True,
                 sort_keys=False, indent=None, separators=None, default=None):
        self.skipkeys = skipkeys
        self.ensure_ascii = ensure_ascii
        self.check_circular = check_circular
        self.allow_nan = allow_nan
        self.sort_keys = sort_keys
        self.indent = indent if indent is None or isinstance(indent, str) else " " * indent
        if separators is not None:
            self.item_separator, self.key_separator = separators
        else:
            self.item_separator = ", " if indent is None else ","
            self.key_separator = ": "
        if default is not None:
            self.default = default

    def default(self, o):
        raise TypeError("Object of type %s is not JSON serializable" % o.__class__.__name__)

    def encode(self, o):
        if self.indent is None and not isinstance(o, str):
            for place, part in (5, self.key_separator), (6, self.item_separator):
                if not isinstance(part, str):
                    raise TypeError("make_encoder() argument %d must be str, not %s" % (
                        place, type(part).__name__))
        if self.indent is None and not self.sort_keys and self.allow_nan:
            text = _json.encode(o, self.ensure_ascii, self.item_separator, self.key_separator)
            if text is not NotImplemented:
                return text
        parts = []
        self._write(o, parts.append, 0, {})
        return "".join(parts)

    def iterencode(self, o):
        parts = []
        self._write(o, parts.append, 0, {})
        return iter(parts)

    def _float(self, o):
        if o != o or o == float("inf") or o == float("-inf"):
            if not self.allow_nan:
                raise ValueError("Out of range float values are not JSON compliant")
            return "NaN" if o != o else "Infinity" if o > 0 else "-Infinity"
        return float.__repr__(o)

    def _atom(self, o):
        """The text of a simple value, else None."""
        if isinstance(o, str):
            return _quote(o, self.ensure_ascii)
        if o is None:
            return "null"
        if o is True:
            return "true"
        if o is False:
            return "false"
        if isinstance(o, int):
            return int.__repr__(o)
        if isinstance(o, float):
            return self._float(o)
        return None

    def _write(self, o, out, level, inside):
        text = self._atom(o)
        if text is not None:
            out(text)
            return
        if self.check_circular:
            if id(o) in inside:
                raise ValueError("Circular reference detected")
            inside[id(o)] = o
        if isinstance(o, dict):
            self._write_dict(o, out, level + 1, inside)
        elif isinstance(o, (list, tuple)):
            self._write_list(o, out, level + 1, inside)
        else:
            self._write(self.default(o), out, level, inside)
        if self.check_circular:
            del inside[id(o)]

    def _breaks(self, level):
        """What comes after the bracket, between items, and before the closing bracket."""
        if self.indent is None:
            return "", self.item_separator, ""
        line = "\n" + self.indent * level
        return line, self.item_separator + line, "\n" + self.indent * (level - 1)

    def _write_list(self, items, out, level, inside):
        if not items:
            out("[]")
            return
        first, between, last = self._breaks(level)
        lead = "[" + first
        for item in items:
            text = self._atom(item)
            if text is not None:
                out(lead + text)
            else:
                out(lead)
                self._write(item, out, level, inside)
            lead = between
        out(last + "]")

    def _write_dict(self, items, out, level, inside):
        if not items:
            out("{}")
            return
        first, between, last = self._breaks(level)
        pairs = items.items()
        if self.sort_keys:
            pairs = sorted(pairs)
        lead = "{" + first
        for key, value in pairs:
            if isinstance(key, str):
                pass
            elif key is True:
                key = "true"
            elif key is False:
                key = "false"
            elif key is None:
                key = "null"
            elif isinstance(key, int):
                key = int.__repr__(key)
            elif isinstance(key, float):
                key = self._float(key)
            elif self.skipkeys:
                continue
            else:
                raise TypeError("keys must be str, int, float, bool or None, not %s"
                                % key.__class__.__name__)
            lead += _quote(key, self.ensure_ascii) + self.key_separator
            text = self._atom(value)
            if text is not None:
                out(lead + text)
            else:
                out(lead)
                self._write(value, out, level, inside)
            lead = between
        out("{}" if lead[0] == "{" else last + "}")


_default_encoder = JSONEncoder()


def dumps(obj, *, cls=None, **options):
    if cls is None:
        if not options:
            return _default_encoder.encode(obj)
        cls = JSONEncoder
    return cls(**options).encode(obj)


def dump(obj, fp, **options):
    fp.write(dumps(obj, **options))


_unescapes = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_space = " \t\n\r"


class JSONDecoder:
    def __init__(self, *, object_hook=None, parse_float=None, parse_int=None, parse_constant=None,
                 strict=True, object_pairs_hook=None):
        self.object_hook = object_hook
        self.object_pairs_hook = object_pairs_hook
        self.parse_float = parse_float or float
        self.parse_int = parse_int or int
        self.parse_constant = parse_constant or float
        self.strict = strict
        self._plain = strict and not (object_hook or object_pairs_hook or parse_float or parse_int
                                      or parse_constant)

    def decode(self, s):
        if self._plain:
            value = _json.decode(s)
            if value is not NotImplemented:
                return value
        value, end = self.raw_decode(s, _skip(s, 0))
        end = _skip(s, end)
        if end != len(s):
            raise JSONDecodeError("Extra data", s, end)
        return value

    def raw_decode(self, s, idx=0):
        return self._value(s, idx)

    def _value(self, s, i):
        c = s[i:i + 1]
        if c == '"':
            return self._string(s, i + 1)
        if c == "{":
            return self._object(s, i)
        if c == "[":
            return self._array(s, i)
        if c == "n" and s.startswith("null", i):
            return None, i + 4
        if c == "t" and s.startswith("true", i):
            return True, i + 4
        if c == "f" and s.startswith("false", i):
            return False, i + 5
        if c == "N" and s.startswith("NaN", i):
            return self.parse_constant("NaN"), i + 3
        if c == "I" and s.startswith("Infinity", i):
            return self.parse_constant("Infinity"), i + 8
        if c == "-" and s.startswith("-Infinity", i):
            return self.parse_constant("-Infinity"), i + 9
        return self._number(s, i)

    def _number(self, s, i):
        end = i
        size = len(s)
        if end < size and s[end] == "-":
            end += 1
        start = end
        while end < size and "0" <= s[end] <= "9":
            end += 1
        if end == start:
            raise JSONDecodeError("Expecting value", s, i)
        if s[start] == "0":
            end = start + 1
        whole = True
        if end + 1 < size and s[end] == "." and "0" <= s[end + 1] <= "9":
            whole = False
            end += 1
            while end < size and "0" <= s[end] <= "9":
                end += 1
        if end < size and s[end] in "eE":
            j = end + 1
            if j < size and s[j] in "+-":
                j += 1
            if j < size and "0" <= s[j] <= "9":
                whole = False
                end = j
                while end < size and "0" <= s[end] <= "9":
                    end += 1
        text = s[i:end]
        return (self.parse_int(text) if whole else self.parse_float(text)), end

    def _string(self, s, i):
        begin = i - 1
        parts = []
        while True:
            quote = s.find('"', i)
            end = len(s) if quote < 0 else quote
            slash = s.find("\\", i, end)
            part = s[i:end] if slash < 0 else s[i:slash]
            if self.strict and part and not part.isprintable():
                for k, c in enumerate(part):
                    if c < " ":
                        raise JSONDecodeError("Invalid control character at", s, i + k)
            if slash < 0:
                if quote < 0:
                    raise JSONDecodeError("Unterminated string starting at", s, begin)
                if not parts:
                    return part, quote + 1
                parts.append(part)
                return "".join(parts), quote + 1
            parts.append(part)
            c = s[slash + 1:slash + 2]
            if c == "u":
                n = self._hex(s, slash + 2)
                i = slash + 6
                if 0xd800 <= n <= 0xdbff and s.startswith("\\u", i):
                    low = self._hex(s, i + 2)
                    if 0xdc00 <= low <= 0xdfff:
                        n = 0x10000 + (((n - 0xd800) << 10) | (low - 0xdc00))
                        i += 6
                parts.append(chr(n))
            elif c in _unescapes and c:
                parts.append(_unescapes[c])
                i = slash + 2
            elif not c:
                raise JSONDecodeError("Unterminated string starting at", s, begin)
            else:
                raise JSONDecodeError("Invalid \\escape", s, slash)

    def _hex(self, s, i):
        text = s[i:i + 4]
        if len(text) == 4 and all(c in "0123456789abcdefABCDEF" for c in text):
            return int(text, 16)
        raise JSONDecodeError("Invalid \\uXXXX escape", s, i - 1)

    def _array(self, s, i):
        items = []
        i = _skip(s, i + 1)
        if s[i:i + 1] == "]":
            return items, i + 1
        while True:
            value, i = self._value(s, i)
            items.append(value)
            c = s[i:i + 1]
            if c not in ",]" or not c:
                i = _skip(s, i)
                c = s[i:i + 1]
            if c == "]":
                return items, i + 1
            if c != ",":
                raise JSONDecodeError("Expecting ',' delimiter", s, i)
            i = _skip(s, i + 1)

    def _object(self, s, i):
        pairs = []
        i = _skip(s, i + 1)
        c = s[i:i + 1]
        if c != "}":
            if c != '"':
                raise JSONDecodeError("Expecting property name enclosed in double quotes", s, i)
            while True:
                key, i = self._string(s, i + 1)
                if s[i:i + 1] != ":":
                    i = _skip(s, i)
                    if s[i:i + 1] != ":":
                        raise JSONDecodeError("Expecting ':' delimiter", s, i)
                value, i = self._value(s, _skip(s, i + 1))
                pairs.append((key, value))
                i = _skip(s, i)
                c = s[i:i + 1]
                if c == "}":
                    break
                if c != ",":
                    raise JSONDecodeError("Expecting ',' delimiter", s, i)
                i = _skip(s, i + 1)
                if s[i:i + 1] != '"':
                    raise JSONDecodeError("Expecting property name enclosed in double quotes", s, i)
        if self.object_pairs_hook is not None:
            return self.object_pairs_hook(pairs), i + 1
        result = dict(pairs)
        if self.object_hook is not None:
            result = self.object_hook(result)
        return result, i + 1


def _skip(s, i):
    size = len(s)
    while i < size and s[i] in _space:
        i += 1
    return i


_default_decoder = JSONDecoder()


def loads(s, *, cls=None, **options):
    if isinstance(s, (bytes, bytearray)):
        s = s.decode()
    elif isinstance(s, str):
        if s.startswith("\ufeff"):
            raise JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", s, 0)
    else:
        raise TypeError("the JSON object must be str, bytes or bytearray, not %s"
                        % s.__class__.__name__)
    if cls is None:
        if not options:
            return _default_decoder.decode(s)
        cls = JSONDecoder
    return cls(**options).decode(s)


def load(fp, **options):
    return loads(fp.read(), **options)
