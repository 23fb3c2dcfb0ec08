# Builtin functions.
print(abs(-3), all([]), any([0, ""]), bin(5), bool([]), callable(print), chr(65), divmod(-7, 3), hex(255), oct(8), ord("z"), pow(2, 8), pow(2, 8, 7), round(2.567, 2), sum([1, 2], 10), len({1: 2}))
print(list(enumerate("ab")), list(enumerate("ab", start=1)), list(zip()), list(zip([1], [2], [3])), list(zip("abc", range(2))), list(map(lambda a, b: a * b, [1, 2], [3, 4])), list(filter(lambda v: v > 1, [1, 2, 3])), list(reversed((1, 2))), list(map(int, "123")))
print(sorted("bca"), sorted([3, 1], reverse=True), min(3, 1), max("a", "b"), min([4, 2], key=lambda v: -v), max([], default="d"), max({"a": 1, "b": 0}), min("hello"), max([1, 5, 3], key=lambda v: v % 5))
print(isinstance(1, int), isinstance("a", (int, str)), issubclass(bool, int), type(1) is int, type("") == str, id(None) == id(None), hash("a") == hash("a"), repr("a"), ascii("é"), format(3.14159, ".2f"), str(1) + "a")
print(int("10"), float("1.5"), list((1,)), tuple([1]), dict(a=1), set([1]), frozenset([1]), bytes(2), bytearray(1), str(), bool(), range(2), slice(1), object is not None)
print(getattr("a", "upper")(), hasattr(1, "real"), getattr(1, "nope", None), vars(type("X", (), {"v": 1}))["v"], [a for a in dir([]) if a in ("append", "pop")], "append" in dir(list))
it = iter([1, 2])
print(next(it), next(it), next(it, "end"), list(iter(lambda c=[3]: c.pop() if c else "stop", "stop")))
print("a", 1, None, sep="|", end="<\n")
print()
print("x", end="")
print("y", "z", sep="")
print(*[1, 2], *"ab", sep=",")
print(sep="x")
import sys
print("to stdout", file=sys.stdout)
print("err", file=sys.stderr, end="")
sys.stdout.write("written\n")
print(print("nested"), [print][0] is print)
m = map(str, [1, 2])
print(next(m), list(m), list(m))
z = zip([1, 2, 3], [4, 5])
print(next(z), list(z))
e = enumerate(["a"])
print(next(e), next(e, None))
f = filter(str.isdigit, "a1b2")
print(list(f), type(m).__name__, type(z).__name__, type(e).__name__, type(f).__name__, type(reversed([])).__name__, type(iter([])).__name__, type(iter({})).__name__, type(iter(())).__name__, type(iter(range(0))).__name__)
for bad in (lambda: abs("a"), lambda: len(5), lambda: sum(["a"]), lambda: sum("ab", ""), lambda: max(1), lambda: min([]), lambda: ord("ab"), lambda: chr("a"), lambda: iter(5), lambda: next([]), lambda: next(iter([])), lambda: isinstance(1, "int"), lambda: getattr(1, "x"), lambda: int("a"), lambda: zip(5),
            lambda: enumerate(5), lambda: reversed(5), lambda: reversed({1}), lambda: sorted(5), lambda: map(), lambda: list(map(len, [5])), lambda: round("a"), lambda: pow("a", 2), lambda: divmod("a", 1), lambda: hash([]), lambda: float("abc"), lambda: list(zip([1], [1, 2], strict=True)), lambda: range("a"), lambda: print(sep=5), lambda: getattr(1, 5), lambda: setattr(1, "a", 2), lambda: hex(1.5), lambda: bytes("a"), lambda: open("/nonexistent/file"), lambda: iter(5, 6), lambda: callable(), lambda: bool(1, 2), lambda: str(1, 2, 3, 4), lambda: type(1, 2), lambda: sum([[1]], 0), lambda: any(5), lambda: vars(5), lambda: id(), lambda: max(1, "a")):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)
print(list(zip(range(3), range(3), strict=True)), sum([0.1] * 3), sum([[1], [2]], []), sum(x for x in range(4)), sum([True, True]))
print(__name__, type(__builtins__).__name__ in ("module", "dict"), any(x > 2 for x in [1, 2, 3]), all(x for x in [1, 0]), [*map(lambda *a: a, [1], [2])], NotImplemented, Ellipsis, ..., None, __debug__)
print(round(-2.5), round(1e300), round(0.15, 1), round(2.5, 0), round(12345, -2), round(-0.5), round(1.005, 2), round(5), round(True), type(round(1.0)).__name__, type(round(1.0, 1)).__name__)
print(bytes([1, 2]), list(b"ab"), bytearray(b"x"), int.from_bytes(b"\x01\x00", "big"), "abc".__class__.__name__, (1).__class__, [].__class__.__name__, type(...), type(NotImplemented))
print(repr(print), repr(len), repr([].append)[:25], repr("".join)[:25], repr(int), repr(list.append), repr(ValueError), str(type), repr(object)[:16], repr(iter([]))[:21])

try:
    type("a\0b", (), {})
except ValueError as e:
    print(e)
