"""Exceptions and stacks as text.  An entry is made where the runtime knows its place, carets included."""

import sys
from sys import _format_exception, _traceback_entry

_CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"
_CONTEXT = "\nDuring handling of the above exception, another exception occurred:\n\n"


class FrameSummary:
    """One entry of a stack; also a tuple (filename, lineno, name, line)."""

    def __init__(self, filename, lineno, name, *, line=None, text=None):
        self.filename = filename
        self.lineno = lineno
        self.name = name
        if text is None:
            text = "  File \"%s\", line %s, in %s\n" % (filename, lineno, name)
            if line:
                text += "    %s\n" % line.strip()
        self._text = text
        if line is None:
            lines = text.split("\n")
            line = lines[1].strip() if len(lines) > 1 else ""
        self.line = line

    def __iter__(self):
        return iter([self.filename, self.lineno, self.name, self.line])

    def __getitem__(self, i):
        return (self.filename, self.lineno, self.name, self.line)[i]

    def __len__(self):
        return 4

    def __eq__(self, other):
        if isinstance(other, (FrameSummary, tuple)):
            return tuple(self) == tuple(other)
        return NotImplemented

    def __repr__(self):
        return "<FrameSummary file %s, line %s in %s>" % (self.filename, self.lineno, self.name)


def _summary(entry):
    filename, lineno, name, text = entry
    return FrameSummary(filename, lineno, name, text=text)


class StackSummary(list):
    @classmethod
    def from_list(cls, entries):
        result = cls()
        for entry in entries:
            result.append(entry if isinstance(entry, FrameSummary) else FrameSummary(*entry[:3], line=entry[3]))
        return result

    def format(self):
        result = []
        last = None
        count = 0
        for item in self:
            key = (item.filename, item.lineno, item.name)
            if key != last:
                if count > 3:
                    result.append(_repeated(count - 3))
                last = key
                count = 0
            count += 1
            if count <= 3:
                result.append(item._text)
        if count > 3:
            result.append(_repeated(count - 3))
        return result


def _repeated(count):
    return "  [Previous line repeated %d more time%s]\n" % (count, "s" if count > 1 else "")


def _cut(entries, limit):
    """The first `limit` of them; the last, if it is negative."""
    if limit is None:
        return entries
    return entries[:limit] if limit >= 0 else entries[limit:]


def extract_tb(tb, limit=None):
    entries = []
    while tb is not None:
        entries.append(_summary(_traceback_entry(tb)))
        tb = tb.tb_next
    if limit is None and getattr(sys, "tracebacklimit", None) is not None:
        limit = max(sys.tracebacklimit, 0)
    return StackSummary(_cut(entries, limit))


def extract_stack(f=None, limit=None):
    if f is None:
        f = sys._getframe(1)
    entries = []
    while f is not None:
        filename, lineno, name, text = _traceback_entry(f)
        # What a frame is doing now is not marked, only what raised.
        entries.append(FrameSummary(filename, lineno, name, text="".join(text.splitlines(True)[:2])))
        f = f.f_back
    return StackSummary(reversed(_cut(entries, limit)))


def walk_tb(tb):
    while tb is not None:
        yield tb.tb_frame, tb.tb_lineno
        tb = tb.tb_next


def walk_stack(f):
    if f is None:
        f = sys._getframe(1)
    while f is not None:
        yield f, f.f_lineno
        f = f.f_back


def format_list(extracted_list):
    return StackSummary.from_list(extracted_list).format()


def format_tb(tb, limit=None):
    return extract_tb(tb, limit).format()


def format_stack(f=None, limit=None):
    return extract_stack(sys._getframe(1) if f is None else f, limit).format()


def format_exception_only(exc, value=None):
    if value is None:
        value = exc
    if value is None:
        return ["NoneType: None\n"]
    if isinstance(value, SyntaxError):
        text = _format_exception(value)
        start = text.rfind("  File ")
        if start > 0:
            text = text[start:]
        return [line + "\n" for line in text.rstrip("\n").split("\n")]
    kind = type(value)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = "%s.%s" % (kind.__module__, name)
    try:
        text = str(value)
    except Exception:
        text = "<exception str() failed>"
    lines = ["%s: %s\n" % (name, text) if text else "%s\n" % name]
    for note in getattr(value, "__notes__", None) or ():
        lines.extend([line + "\n" for line in str(note).split("\n")])
    return lines


class _Drawing:
    """Where the lines that are being made stand: in how many groups, and is the frame of the innermost still to be closed?"""

    def __init__(self):
        self.depth = 0
        self.unclosed = False

    def behind(self, lines, bar="|"):
        if not self.depth:
            return lines
        bar = "  " * self.depth + bar + " "
        return [bar + part for line in lines for part in line.splitlines(True)]


def _lines(value, limit, chain, seen, drawing):
    lines = []
    if chain and id(value) not in seen:
        seen.add(id(value))
        cause = value.__cause__
        context = value.__context__
        if cause is not None and id(cause) not in seen:
            lines += _lines(cause, limit, chain, seen, drawing)
            lines += drawing.behind([_CAUSE])
        elif cause is None and context is not None and not value.__suppress_context__ and id(context) not in seen:
            lines += _lines(context, limit, chain, seen, drawing)
            lines += drawing.behind([_CONTEXT])
    inner = _inner(value)
    if inner is not None:
        return lines + _group_lines(value, inner, limit, chain, seen, drawing)
    own = []
    if value.__traceback__ is not None:
        entries = extract_tb(value.__traceback__, limit)
        if entries:
            own.append("Traceback (most recent call last):\n")
        own += entries.format()
    return lines + drawing.behind(own + format_exception_only(value))


def _inner(value):
    """The exceptions of a group; None if it is none."""
    groups = sys.modules.get("_exception_group")
    return value.exceptions if groups is not None and isinstance(value, groups.BaseExceptionGroup) else None


_MOST = 15
_DEEPEST = 10


def _group_lines(value, inner, limit, chain, seen, drawing):
    """As CPython draws a group."""
    if drawing.depth > _DEEPEST:
        return drawing.behind(["... (max_group_depth is %d)\n" % _DEEPEST])
    before = drawing.depth
    drawing.depth = max(before, 1)
    lines = []
    entries = extract_tb(value.__traceback__, limit)
    if entries:
        head = "Exception Group Traceback (most recent call last):\n"
        lines += drawing.behind([head], "|" if before else "+")
    lines += drawing.behind(entries.format() + format_exception_only(value))
    pad = "  " * drawing.depth
    drawing.depth += 1
    drawing.unclosed = False
    for i, exc in enumerate(inner[:_MOST + 1]):
        last = i == min(len(inner), _MOST + 1) - 1
        drawing.unclosed = drawing.unclosed or last  # a group in the last place closes the frame for all around it
        title = str(i + 1) if i < _MOST else "..."
        lines.append("%s%s---------------- %s ----------------\n" % (pad, "  +" if i else "+-+", title))
        if i < _MOST:
            lines += _lines(exc, limit, chain, seen, drawing)
        else:
            left = len(inner) - _MOST
            lines += drawing.behind(["and %d more exception%s\n" % (left, "s" if left > 1 else "")])
        if last and drawing.unclosed:
            lines.append(pad + "  +------------------------------------\n")
            drawing.unclosed = False
    drawing.depth = before
    return lines


def _group_text(value):
    """One group without its chain, for who prints an exception that nobody caught."""
    return "".join(_group_lines(value, value.exceptions, None, True, {id(value)}, _Drawing()))


_missing = object()


def _exception_of(exc, value, tb):
    if value is _missing:
        return exc
    if value is not None and tb is not _missing and tb is not value.__traceback__:
        value = value.with_traceback(tb)
    return value


def format_exception(exc, /, value=_missing, tb=_missing, limit=None, chain=True):
    value = _exception_of(exc, value, tb)
    if value is None:
        return ["NoneType: None\n"]
    return _lines(value, limit, chain, set(), _Drawing())


def _print(lines, file):
    print("".join(lines), end="", file=sys.stderr if file is None else file)


def print_exception(exc, /, value=_missing, tb=_missing, limit=None, file=None, chain=True):
    _print(format_exception(exc, value, tb, limit, chain), file)


def format_exc(limit=None, chain=True):
    return "".join(format_exception(sys.exception(), limit=limit, chain=chain))


def print_exc(limit=None, file=None, chain=True):
    print_exception(sys.exception(), limit=limit, file=file, chain=chain)


def print_tb(tb, limit=None, file=None):
    _print(format_tb(tb, limit), file)


def print_stack(f=None, limit=None, file=None):
    _print(format_stack(sys._getframe(1) if f is None else f, limit), file)


def print_list(extracted_list, file=None):
    _print(format_list(extracted_list), file)


def clear_frames(tb):
    """Lets the locals of all frames of a traceback go."""
    while tb is not None:
        try:
            tb.tb_frame.clear()
        except RuntimeError:
            pass
        tb = tb.tb_next


class TracebackException:
    """What can be printed about an exception, without the exception."""

    def __init__(self, exc_type, exc_value, exc_traceback, *, limit=None, _seen=None):
        seen = set() if _seen is None else _seen  # a chain may come back to where it began
        seen.add(id(exc_value))
        self.exc_type = exc_type
        self.stack = extract_tb(exc_traceback, limit)
        self._only = format_exception_only(exc_value)
        self._str = str(exc_value)
        cause, context = exc_value.__cause__, exc_value.__context__
        self.__suppress_context__ = exc_value.__suppress_context__
        self.__cause__ = self.__context__ = None
        if cause is not None and id(cause) not in seen:
            self.__cause__ = TracebackException.from_exception(cause, limit=limit, _seen=seen)
        elif cause is None and context is not None and id(context) not in seen:
            self.__context__ = TracebackException.from_exception(context, limit=limit, _seen=seen)

    @classmethod
    def from_exception(cls, exc, **kwargs):
        return cls(type(exc), exc, exc.__traceback__, **kwargs)

    def __str__(self):
        return self._str

    def format_exception_only(self):
        return iter(self._only)

    def format(self, *, chain=True):
        if chain:
            if self.__cause__ is not None:
                yield from self.__cause__.format()
                yield _CAUSE
            elif self.__context__ is not None and not self.__suppress_context__:
                yield from self.__context__.format()
                yield _CONTEXT
        if self.stack:
            yield "Traceback (most recent call last):\n"
            yield from self.stack.format()
        yield from self._only
