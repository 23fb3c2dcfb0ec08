"""Functions to call when the program ends, newest first, after its threads have been joined."""

import _thread

_entries = []


def register(func, *args, **kwargs):
    _entries.append((func, args, kwargs))
    return func


def unregister(func):
    _entries[:] = [entry for entry in _entries if entry[0] != func]


def _run():
    # What is registered meanwhile is not called, and what is unregistered is not, either.
    for entry in _entries[::-1]:
        if not any(entry is left for left in _entries):
            continue
        func, args, kwargs = entry
        try:
            func(*args, **kwargs)
        except BaseException as error:
            _thread._report("Exception ignored in atexit callback: %r\n" % (func,), error)
    _entries.clear()


_thread._at_exit(_run)
