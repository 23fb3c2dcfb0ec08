"""Functions to call when the program ends, newest first, after its threads have been joined."""

import _thread

_entries = []


def register(func, *args, **kwargs):
    _entries.append((func, args, kwargs))
    return func


def unregister(func):
    _entries[:] = [entry for entry in _entries if entry[0] != func]


def _run():
    while _entries:
        func, args, kwargs = _entries.pop()
        try:
            func(*args, **kwargs)
        except BaseException as error:
            _thread._report("Exception ignored in atexit callback: %r\n" % (func,), error)


_thread._at_exit(_run)
