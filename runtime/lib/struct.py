"""Packing of numbers into bytes and back, after format strings.

Sizes and alignment are the machine's with '@' (the default), standard and unpadded with
'=', '<', '>' and '!'.
"""

import sys
from array import array


class error(Exception):
    pass


# letter: (size in standard mode, size and alignment in native mode, kind)
_CODES = {
    "x": (1, 1, "pad"), "c": (1, 1, "char"), "b": (1, 1, "int"), "B": (1, 1, "uint"),
    "?": (1, 1, "bool"), "h": (2, 2, "int"), "H": (2, 2, "uint"), "i": (4, 4, "int"),
    "I": (4, 4, "uint"), "l": (4, 8, "int"), "L": (4, 8, "uint"), "q": (8, 8, "int"),
    "Q": (8, 8, "uint"), "n": (0, 8, "int"), "N": (0, 8, "uint"), "P": (0, 8, "uint"),
    "f": (4, 4, "float"), "d": (8, 8, "float"), "s": (1, 1, "text"), "p": (1, 1, "pascal"),
}


def _parse(fmt):
    """(byte order, [(letter, count, size, alignment)])."""
    if isinstance(fmt, (bytes, bytearray)):
        fmt = fmt.decode("ascii")
    native, order, i = True, sys.byteorder, 0
    if fmt and fmt[0] in "@=<>!":
        native = fmt[0] == "@"
        if fmt[0] == "<":
            order = "little"
        elif fmt[0] in ">!":
            order = "big"
        i = 1
    parts = []
    while i < len(fmt):
        if fmt[i].isspace():
            i += 1
            continue
        start = i
        while i < len(fmt) and "0" <= fmt[i] <= "9":
            i += 1
        if i == len(fmt):
            raise error("repeat count given without format specifier")
        count = int(fmt[start:i]) if i > start else 1
        known = _CODES.get(fmt[i])
        if known is None or (not native and known[0] == 0):
            raise error("bad char in struct format")
        size = known[1] if native else known[0]
        parts.append((fmt[i], count, size, size if native else 1))
        i += 1
    return order, parts


def _pack_int(value, size, signed, letter, order):
    if not isinstance(value, int):
        index = getattr(value, "__index__", None)
        if index is None:
            raise error("required argument is not an integer")
        value = index()
    low = -(1 << (8 * size - 1)) if signed else 0
    high = (1 << (8 * size - 1 if signed else 8 * size)) - 1
    if not low <= value <= high:
        if size == 8:
            raise error("int too large to convert" if signed or value >= 0 else
                        "argument out of range")
        names = {1: "byte" if signed else "ubyte"}
        if letter in "hH":
            names[2] = "short" if signed else "ushort"
        if size in names:
            raise error("%s format requires %d <= number <= %d" % (names[size], low, high))
        raise error("'%s' format requires %d <= number <= %d" % (letter, low, high))
    return value.to_bytes(size, order, signed=signed)


def _float_code(size):
    return "f" if size == 4 else "d"


def _pack_float(value, size, order):
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise error("required argument is not a float")
    value = float(value)
    if size == 4 and value - value == 0 and abs(value) >= 3.4028235677973366e38:
        raise OverflowError("float too large to pack with f format")
    data = array(_float_code(size), [value]).tobytes()
    return data if order == sys.byteorder else data[::-1]


class Struct:
    """A format, parsed once."""

    def __init__(self, format):
        self.format = format.decode("ascii") if isinstance(format, bytes) else format
        self._order, self._parts = _parse(format)
        offset = items = 0
        for letter, count, size, align in self._parts:
            offset += -offset % align
            offset += count * size
            if letter in "sp":
                items += 1
            elif letter != "x":
                items += count
        self.size = offset
        self._items = items

    def pack(self, *values):
        if len(values) != self._items:
            raise error("pack expected %d items for packing (got %d)" % (self._items, len(values)))
        out = bytearray()
        order = self._order
        at = 0
        for letter, count, size, align in self._parts:
            out.extend(bytes(-len(out) % align))
            kind = _CODES[letter][2]
            if kind == "pad":
                out.extend(bytes(count))
                continue
            if kind == "text" or kind == "pascal":
                value = values[at]
                at += 1
                if not isinstance(value, (bytes, bytearray)):
                    raise error("argument for '%s' must be a bytes object" % letter)
                if kind == "pascal" and count > 0:
                    value = bytes(value[:min(count - 1, 255)])
                    value = bytes([len(value)]) + value
                value = bytes(value[:count])
                out.extend(value + bytes(count - len(value)))
                continue
            for _ in range(count):
                value = values[at]
                at += 1
                if kind == "int":
                    out.extend(_pack_int(value, size, True, letter, order))
                elif kind == "uint":
                    out.extend(_pack_int(value, size, False, letter, order))
                elif kind == "float":
                    out.extend(_pack_float(value, size, order))
                elif kind == "bool":
                    out.append(1 if value else 0)
                else:
                    if not isinstance(value, (bytes, bytearray)) or len(value) != 1:
                        raise error("char format requires a bytes object of length 1")
                    out.extend(value)
        return bytes(out)

    def pack_into(self, buffer, offset, *values):
        data = self.pack(*values)
        if offset < 0:
            offset += len(buffer)
        if offset < 0 or offset + len(data) > len(buffer):
            raise error("pack_into requires a buffer of at least %d bytes for packing %d bytes at "
                        "offset %d (actual buffer size is %d)"
                        % (offset + len(data), len(data), offset, len(buffer)))
        buffer[offset:offset + len(data)] = data

    def unpack(self, data):
        if len(data) != self.size:
            raise error("unpack requires a buffer of %d bytes" % self.size)
        return self._read(bytes(data), 0)

    def unpack_from(self, buffer, offset=0):
        if offset < 0:
            offset += len(buffer)
        if offset < 0 or len(buffer) - offset < self.size:
            raise error("unpack_from requires a buffer of at least %d bytes for unpacking %d bytes "
                        "at offset %d (actual buffer size is %d)"
                        % (offset + self.size, self.size, offset, len(buffer)))
        return self._read(bytes(buffer[offset:offset + self.size]), 0)

    def iter_unpack(self, data):
        if self.size == 0 or len(data) % self.size:
            raise error("iterative unpacking requires a buffer of a multiple of %d bytes" % self.size)
        data = bytes(data)
        return (self._read(data, at) for at in range(0, len(data), self.size))

    def _read(self, data, base):
        out = []
        order = self._order
        at = 0
        for letter, count, size, align in self._parts:
            at += -at % align
            kind = _CODES[letter][2]
            if kind == "pad":
                at += count
            elif kind == "text":
                out.append(data[base + at:base + at + count])
                at += count
            elif kind == "pascal":
                if count:
                    n = min(data[base + at], count - 1)
                    out.append(data[base + at + 1:base + at + 1 + n])
                else:
                    out.append(b"")
                at += count
            else:
                for _ in range(count):
                    piece = data[base + at:base + at + size]
                    at += size
                    if kind == "int" or kind == "uint":
                        out.append(int.from_bytes(piece, order, signed=kind == "int"))
                    elif kind == "float":
                        numbers = array(_float_code(size))
                        numbers.frombytes(piece if order == sys.byteorder else piece[::-1])
                        out.append(numbers[0])
                    elif kind == "bool":
                        out.append(piece != b"\0")
                    else:
                        out.append(piece)
        return tuple(out)


_cache = {}


def _of(fmt):
    found = _cache.get(fmt)
    if found is None:
        found = Struct(fmt)
        if len(_cache) >= 100:
            _cache.clear()
        _cache[fmt] = found
    return found


def calcsize(fmt):
    return _of(fmt).size


def pack(fmt, *values):
    return _of(fmt).pack(*values)


def pack_into(fmt, buffer, offset, *values):
    _of(fmt).pack_into(buffer, offset, *values)


def unpack(fmt, data):
    return _of(fmt).unpack(data)


def unpack_from(fmt, buffer, offset=0):
    return _of(fmt).unpack_from(buffer, offset)


def iter_unpack(fmt, data):
    return _of(fmt).iter_unpack(data)
