# Format specifications and % formatting.
for spec in ("", "5", "<5", ">5", "^5", "05", "+", "-", " ", "+5", "*^9", "x", "#x", "X", "o", "#o", "b", "#b", "#010x", ",", "_", "n", "d", "=+6", "0=7", "c", "e", ".2f", "%", "08b", "_x", "_b", "g"):
    print(repr(spec), [format(v, spec) for v in (0, 42, 97, 123456)], [format(v, spec) for v in (-42,)] if spec != "c" else "")
for spec in ("", "8", "<8", "^8", "08", "+", " ", ".0f", ".1f", ".3f", "10.2f", "<10.2f", "^10.2f", "+.2f", "010.3f", "e", ".2e", "E", "g", ".3g", ".10g", "G", "%", ".1%", ",", ",.2f", "_.3f", "#.0f", "#g", ".5", "*>12.4f", "=+10.1f"):
    print(repr(spec), [format(v, spec) for v in (0.0, 1.5, -2.25, 1234567.891, 1e-7, 1e22)])
print([format(v, ".2f") for v in (float("inf"), float("-inf"), float("nan"))], format(float("inf"), "010"), format(float("nan"), "+"), format(1e400, "F"))
for spec in ("", "s", "5", "<5", ">5", "^6", "*^7", ".2", "6.2", "^10.3s", "-<6"):
    print(repr(spec), [format(v, spec) for v in ("", "abc", "äöü")])
print(format(True), format(None), format([1, 2]), format((1,)), format(True, "5"), format(True, "d"), "{}".format(True), f"{True!s:>6}")
print("{} {} {}".format(1, "a", 2.5), "{0}{1}{0}".format("a", "b"), "{x}-{y}".format(x=1, y=2), "{:>5}|{:<5}|{:^5}".format(1, 2, 3), "{{}} {}".format(3))
print("{0[1]} {0[0]} {1[k]} {2.real}".format([1, 2], {"k": "v"}, 5), "{!r} {!s} {!a}".format("é", "é", "é"), "{:{}}".format("x", 5), "{:{w}.{p}f}".format(3.14159, w=8, p=2))
print("%s %r %a|%5s|%-5s|%.2s|%c%c" % ("a", "b", "é", "c", "d", "efg", 65, "B"), "%%", "%d%%" % 5, "%(a)s %(b)05d" % {"a": 1, "b": 2})
print("%s" % (1,), "%s" % [1, 2], "%s %s" % ("x", (1, 2)), "%*d|%-*d|%.*f" % (5, 1, 5, 2, 2, 3.14159), "%i %u" % (3, 4), "%+d % d" % (1, 2), "%#o %#X" % (8, 255), "%5.1f|%-8.3e|" % (2.25, 3.5))
print("%s" % None, "%s" % True, "%5s|%5r" % (None, "a"), "%d" % True, "%x" % True, "%s%s" % ("a", "b") * 2)
for bad in (lambda: "%d" % "a", lambda: "%d %d" % 1, lambda: "%d" % (1, 2), lambda: "%q" % 1, lambda: "%(a)s" % 1, lambda: format(1, "s"), lambda: format("a", "d"),
            lambda: format(1.5, "d"), lambda: "{} {}".format(1), lambda: "{x}".format(), lambda: "{".format(), lambda: "}".format(), lambda: "{0} {}".format(1, 2),
            lambda: format("a", "+"), lambda: format(1, ".2"), lambda: "%c" % "ab", lambda: format([], "5"), lambda: "%x" % 1.5, lambda: "{:y}".format(1),
            lambda: "{a}".format(b=1), lambda: format("a", ",")):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)


class Temp:
    def __format__(self, spec):
        return "<" + spec + ">"

    def __str__(self):
        return "temp"


print(f"{Temp()} {Temp():abc} {Temp()!s:>6} {Temp()!r:.5}", format(Temp(), "z"), "{:q}".format(Temp()))
