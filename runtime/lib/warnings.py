"""Warnings: shown on stderr, raised, recorded or ignored, by category and text (no regular expressions)."""

import sys

_ACTIONS = ("error", "ignore", "always", "default", "module", "once")
filters = []
_default = [("default", DeprecationWarning, "__main__"), ("ignore", DeprecationWarning, None),
            ("ignore", PendingDeprecationWarning, None), ("ignore", ImportWarning, None), ("ignore", ResourceWarning, None)]
_shown = set()


class WarningMessage:
    def __init__(self, message, category, filename, lineno, file=None, line=None, source=None):
        self.message = message
        self.category = category
        self.filename = filename
        self.lineno = lineno
        self.file = file
        self.line = line
        self.source = source

    def __str__(self):
        return "{message : %r, category : %r, filename : %r, lineno : %s, line : %r}" % (
            self.message, self.category.__name__, self.filename, self.lineno, self.line)


def formatwarning(message, category, filename, lineno, line=None):
    text = "%s:%s: %s: %s\n" % (filename, lineno, category.__name__, message)
    if line is None:
        try:
            with open(filename) as file:
                line = file.read().split("\n")[lineno - 1]
        except (OSError, IndexError, UnicodeError):
            line = ""
    line = line.strip()
    return text + "  %s\n" % line if line else text


def showwarning(message, category, filename, lineno, file=None, line=None):
    print(formatwarning(message, category, filename, lineno, line), end="", file=sys.stderr if file is None else file)


def _show(message):
    showwarning(message.message, message.category, message.filename, message.lineno, message.file, message.line)


_sink = _show


def _check(good, message):
    if not good:
        raise AssertionError(message)


def filterwarnings(action, message="", category=Warning, module="", lineno=0, append=False):
    _check(action in _ACTIONS, "invalid action: %r" % (action,))
    _check(isinstance(message, str), "message must be a string")
    _check(isinstance(category, type), "category must be a class")
    _check(issubclass(category, Warning), "category must be a Warning subclass")
    _check(isinstance(module, str), "module must be a string")
    _check(isinstance(lineno, int) and lineno >= 0, "lineno must be an int >= 0")
    _add((action, message.lower(), category, module, lineno), append)


def simplefilter(action, category=Warning, lineno=0, append=False):
    _check(action in _ACTIONS, "invalid action: %r" % (action,))
    _check(isinstance(lineno, int) and lineno >= 0, "lineno must be an int >= 0")
    _add((action, "", category, "", lineno), append)


def _add(item, append):
    if item in filters:
        if append:
            return
        filters.remove(item)
    if append:
        filters.append(item)
    else:
        filters.insert(0, item)
    _shown.clear()


def resetwarnings():
    filters.clear()
    _default.clear()
    _shown.clear()


def _action(text, category, module, lineno):
    for action, start, kind, where, line in filters:
        if (issubclass(category, kind) and text.lower().startswith(start) and module.startswith(where) and
                (line == 0 or line == lineno)):
            return action
    for action, kind, where in _default:
        if issubclass(category, kind) and (where is None or where == module):
            return action
    return "default"


def warn(message, category=None, stacklevel=1, source=None):
    if isinstance(message, Warning):
        category = type(message)
    elif category is None:
        category = UserWarning
    if not (isinstance(category, type) and issubclass(category, Warning)):
        raise TypeError("category must be a Warning subclass, not '%s'" % type(category).__name__)
    frame = sys._getframe(1)
    while stacklevel > 1 and frame is not None:
        frame = frame.f_back
        stacklevel -= 1
    if frame is None:
        filename, lineno, module = "sys", 1, "sys"
    else:
        filename, lineno, module = frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__", "<string>")
    warn_explicit(message, category, filename, lineno, module, source=source)


def warn_explicit(message, category, filename, lineno, module=None, registry=None, module_globals=None, source=None):
    if isinstance(message, Warning):
        text, category = str(message), type(message)
    else:
        text, message = str(message), category(message)
    action = _action(text, category, module or filename, lineno)
    if action == "ignore":
        return
    if action == "error":
        raise message
    key = {"once": (text, category), "module": (text, category, filename),
           "default": (text, category, filename, lineno)}.get(action)
    if key is not None:
        if key in _shown:
            return
        _shown.add(key)
    _sink(WarningMessage(message, category, filename, lineno, source=source))


class catch_warnings:
    def __init__(self, *, record=False, module=None, action=None, category=Warning, lineno=0, append=False):
        self._record = record
        self._filter = None if action is None else (action, category, lineno, append)
        self._entered = False

    def __repr__(self):
        return "catch_warnings(%s)" % ("record=True" if self._record else "")

    def __enter__(self):
        global _sink, showwarning
        if self._entered:
            raise RuntimeError("Cannot enter %r twice" % self)
        self._entered = True
        self._saved = filters[:], _default[:], _sink, showwarning
        _shown.clear()
        log = None
        if self._record:
            log = []
            _sink = log.append
        if self._filter is not None:
            simplefilter(*self._filter)
        return log

    def __exit__(self, *details):
        global _sink, showwarning
        if not self._entered:
            raise RuntimeError("Cannot exit %r without entering first" % self)
        filters[:], _default[:], _sink, showwarning = self._saved
        _shown.clear()
