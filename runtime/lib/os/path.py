"""Paths as text."""

from _os import getcwd, _path_kind

sep = "/"


def join(first, *parts):
    path = first
    for part in parts:
        if part.startswith("/"):
            path = part
        elif not path or path.endswith("/"):
            path += part
        else:
            path += "/" + part
    return path


def split(path):
    cut = path.rfind("/") + 1
    head = path[:cut]
    tail = path[cut:]
    if head and head != "/" * len(head):
        head = head.rstrip("/")
    return head, tail


def basename(path):
    return path[path.rfind("/") + 1:]


def dirname(path):
    return split(path)[0]


def splitext(path):
    base = path.rfind("/") + 1
    dot = path.rfind(".")
    if dot > base and path[base:dot].strip("."):
        return path[:dot], path[dot:]
    return path, ""


def isabs(path):
    return path.startswith("/")


def normpath(path):
    if path == "":
        return "."
    lead = 0
    if path.startswith("/"):
        lead = 2 if path.startswith("//") and not path.startswith("///") else 1
    parts = []
    for part in path.split("/"):
        if part == "" or part == ".":
            continue
        if part != ".." or (not lead and not parts) or (parts and parts[-1] == ".."):
            parts.append(part)
        elif parts:
            parts.pop()
    return "/" * lead + "/".join(parts) or "."


def abspath(path):
    return normpath(path if isabs(path) else join(getcwd(), path))


def expanduser(path):
    return path


realpath = abspath


def exists(path):
    return _path_kind(path) != 0


def isfile(path):
    return _path_kind(path) == 1


def isdir(path):
    return _path_kind(path) == 2


def getsize(path):
    from _os import stat
    return stat(path).st_size
