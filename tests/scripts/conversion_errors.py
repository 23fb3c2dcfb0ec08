# What the numbers of formats and arguments may be, and what is said of those that do not fit.
import builtins
import gc
import json
import math
import random
import sys
import time


class Index:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


def rows(title, values, function):
    print(title)
    for value in values:
        try:
            print("  %.60r" % (function(value),))
        except (TypeError, ValueError, OverflowError, IndexError, KeyError) as e:
            print("  %s: %s" % (type(e).__name__, e))


big = 2 ** 70
letters = [65, Index(66), Index(0x110000), Index(big), -1, 2 ** 31, big, 1.5, "a", "ab", "", None, Index(1.5),
           Index(ValueError("v")), b"a", b"ab", bytearray(b"c"), 255, 256, True]
rows("%c", letters, lambda v: "%c" % (v,))
rows("b%c", letters, lambda v: b"%c" % (v,))
formats = ["%z", "%1$s", "%", "%(", "%(a", "%-", "%5", "%.", "%.3", "abc%10", "%\u1234", "%#z", "%l", "%ld", "%hd", "%Ld", "%hhd",
           "%lld", "%5%|%d", "%99999999999999999999d", "%.99999999999999999999d", "%d%%", "%s%s", "", "%y", "%t %d"]
for args in (), (1,), (1, 2):
    rows("formats with %r" % (args,), formats, lambda f: f % args)
rows("stars", [(2, 1), (-5, 1), (1.5, 1), ("a", 1), (big, 1), (None, 1), (True, 1)], lambda a: "%*d|" % a)
rows("precisions", [(2, 1.5), (-5, 1.5), (1.5, 1), ("a", 1), (big, 1), (2 ** 40, 1), (0, 1.5)], lambda a: "%.*f|" % a)
rows("keys", ["%(a)s", "%(a)d %(a)s", "%(b)s", "%(a)*d", "%(a)s %s", "%s %(a)s", "%(a)z", "%(a)", "%()s", "%(a)%", "%%(a)s"],
     lambda f: f % {"a": 1, "": 2})
rows("kinds", ["%d", "%i", "%u", "%x", "%o", "%X", "%e", "%f", "%g", "%c", "%s"], lambda f: [f % v for v in (Index(9), )] if f in "%x%o%X%c" else f % 3)
rows("wrong kinds", ["%d", "%i", "%x", "%o", "%e", "%g"], lambda f: f % "a")
rows("wrong numbers", ["%x", "%o", "%X"], lambda f: f % 1.5)

numbers = [big, -big, 2 ** 40, -2 ** 40, 1.5, "a", None]
rows("chr", numbers + [Index(65), Index(big)], chr)
rows("repeat", [big, -big, 1.5], lambda n: [0] * n)
rows("rjust", [big, 1.5], lambda n: "a".rjust(n))
rows("zfill", [big, 1.5], lambda n: "a".zfill(n))
rows("split", [big, 1.5, -2], lambda n: "a b".split(None, n))
rows("replace", [big, 1.5], lambda n: "aa".replace("a", "b", n))
rows("insert", [big, 1.5, None], lambda n: [].insert(n, 1))
rows("pop", [big, 1.5, None, 3], lambda n: [1].pop(n))
rows("bytes", [-1, -2 ** 40, 1.5], bytes)
rows("expandtabs", [big, 2 ** 40, 1.5, 2, -1, True], lambda n: "\ta".expandtabs(n))
rows("expandtabs of bytes", [big, 2 ** 40, 1.5, 2], lambda n: b"\ta".expandtabs(n))
rows("splitlines", [big, 2 ** 40, 0, 1, True, "a", None, 1.5], lambda n: "a\nb".splitlines(n))
rows("splitlines of bytes", [big, 0, 1, "a"], lambda n: b"a\nb".splitlines(n))
rows("setrecursionlimit", [big, 2 ** 40, 0, "a", 1.5], sys.setrecursionlimit)
rows("collect", [big, 2 ** 40, 5, -1, "a"], gc.collect)
rows("getrandbits", [big, -1, 1.5, "a", 0], random.Random(1).getrandbits)
rows("comb", [big, -1, 1.5, 2, 7], lambda k: math.comb(5, k))
rows("perm", [big, -1, 1.5, 2, 7, None], lambda k: math.perm(5, k))
rows("sleep", ["a", None, -1, [], 0, 0.0, False, Index(0)], time.sleep)

version = type(sys.version_info)
rows("version", [(), ((3, 11, 0, "final", 0),), ("abcde",)], lambda a: version(*a))
print(version.n_fields, version.n_sequence_fields, version.n_unnamed_fields, version.__match_args__)
print(sys.version_info.major, sys.version_info[:2], isinstance(sys.version_info, tuple), len(sys.version_info))

rows("separators", [(1, 2), (",", 1), (1, ":"), ("a", "b"), ",", (",", ":", ";"), 5, [";", "="], ("", "")],
     lambda s: json.dumps([1, {"a": 2}], separators=s))
rows("indents", [1.5, None, "\t", 0, True], lambda v: json.dumps([1, [2]], indent=v))
rows("separators of little", [1, "a", {}, [], None], lambda v: json.dumps(v, separators=(1, 2)))

print(getattr(builtins, "ExceptionGroup") is ExceptionGroup, hasattr(builtins, "BaseExceptionGroup"))
print(getattr(builtins, "ExceptionGroups", None))
