"""A little of the operating system."""

from _os import (getpid, getppid, cpu_count, _exit, abort, urandom, getcwd, _environ, _setenv, _unsetenv,
                 remove, mkdir, rmdir, rename, listdir, stat, sched_yield, kill, chdir)

import os.path
from os import path

name = "posix"
sep = "/"
linesep = "\n"
pathsep = ":"
curdir = "."
devnull = "/dev/null"
error = OSError
unlink = remove


class _Environ(dict):
    def __setitem__(self, key, value):
        _setenv(key, value)
        dict.__setitem__(self, key, value)

    def __delitem__(self, key):
        dict.__delitem__(self, key)
        _unsetenv(key)

    def copy(self):
        return dict(self)


environ = _Environ(_environ())


def getenv(key, default=None):
    return environ.get(key, default)


def fspath(path):
    if isinstance(path, (str, bytes)):
        return path
    return path.__fspath__()


def makedirs(name, mode=0o777, exist_ok=False):
    head = path.dirname(name)
    if head and not path.exists(head):
        makedirs(head, mode, True)
    try:
        mkdir(name, mode)
    except FileExistsError:
        if not exist_ok or not path.isdir(name):
            raise
