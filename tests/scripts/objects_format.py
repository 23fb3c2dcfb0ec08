# % formatting, str.format, format specs, f-strings.
print("%d %i %u %5d|%-5d|%05d|%+d|% d|%x|%X|%#x|%o|%#o|%c|%c|%s|%r|%a|%%" % (1, 2, 3, 4, 5, 6, 7, 8, 255, 255, 255, 8, 8, "a", 98, "s", "r", "é"))
print("%s" % 5, "%s" % "a", "%s" % (5,), "%s %s" % (1, 2), "%s" % [1, 2], "%s" % None, "%(a)s-%(b)03d" % {"a": 1, "b": 2}, "%s" % {"k": 1})
print("%.2f|%8.3f|%-8.1f|%+.2e|%g|%.3g|%G|%5.1f%%" % (3.14159, 2.5, 1.25, 12345.678, 0.00001, 1234567, 1e-10, 99.5))
print("%*d|%-*d|%.*f|%5s|%-5s|%.2s|%5.1s|" % (6, 42, 6, 42, 2, 3.14159, "ab", "ab", "abcdef", "xyz"))
print("%d" % 3.99, "%d" % -3.99, "%d" % 10**25, "%x" % 2**70, "%5d|%-25d|" % (2**70 % 1000, 2**70), "%.5d" % 42, "%+.3d" % 7, "%#X" % 255, "%05d" % -42, "%-05d|" % 42, "%e" % 0)
print("%s é %s" % ("日", "😀"), "%10s|" % "日本", "%c%c" % ("日", 0x1F600))
for f in (lambda: "%d" % "a", lambda: "%d" % (1, 2), lambda: "%d %d" % 1, lambda: "%x" % 1.5, lambda: "%z" % 1, lambda: "%" % 1, lambda: "%(a)s" % 1, lambda: "%(a)s" % {}, lambda: "%c" % "ab", lambda: "%f" % "a", lambda: "%(a" % {"a": 1}, lambda: "a" % 1, lambda: "%c" % -1, lambda: "%*d" % ("a", 1)):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
print("{} {} {}".format(1, "a", [2]), "{0} {1} {0}".format("x", "y"), "{a} {b}".format(a=1, b=2), "{0[1]} {0[0]}".format([5, 6]), "{d[k]}".format(d={"k": "v"}), "{{}} {}".format(1), "{:>5}|{:<5}|{:^5}|{:*^7}".format(1, 2, 3, 4))
print("{!r} {!s} {!a}".format("é", "é", "é"), "{:{}}".format(42, 8), "{:{w}.{p}f}".format(3.14159, w=10, p=2), "{0.real} {0.imag}".format(5), "{:,}".format(1234567), "{:_}".format(1234567), "{:+d} {: d} {:#x} {:#b} {:#o}".format(5, 5, 255, 5, 8))
for f in (lambda: "{}".format(), lambda: "{a}".format(), lambda: "{0} {}".format(1, 2), lambda: "{} {0}".format(1, 2), lambda: "{".format(1), lambda: "}".format(1), lambda: "{!x}".format(1), lambda: "{:d}".format("a"), lambda: "{:x}".format(1.5), lambda: "{0[5]}".format([1]), lambda: "{0.nope}".format(1), lambda: "{:.2d}".format(5), lambda: "{:s}".format(5), lambda: "{:>5}".format([]), lambda: "{:d".format(1)):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
x, name, items = 42, "bob", [1, 2, 3]
print(f"{x} {name!r} {items} {x:5d}| {x:<5}| {name:>6} {x + 1} {x=} {name=!s} {x!r:>5} {len(items)} {'nested'} {x:{8}} {items[0]} {{}}")
print(f"{x:b} {x:o} {x:x} {x:X} {x:#b} {x:c} {x:e} {x:.2f} {x:%} {x:08.3f} {-x:=+8d} {x:,} {10**20:,} {x:^9} {x:*<6}")
print(f"{True} {True:d} {True:5} {None} {3.0} {1e100} {'abc':.2} {'abc':5.1}| {2**100:_x} {'日':^5}|")
print(format(255, "x"), format("a", "5") + "|", format(3.5, ".2f"), format(None), format([1]), format(True, "d"), format(5, ""), format(12345.678, ",.1f"))
for v, s in ((1, "y"), ("a", "d"), (1, ".3d"), ("a", "+"), ("a", "="), (1, ",x"), (1, "+c"), (1, "_,"), (1, "5.2fg"), (-1, "c"), ([], "d"), (None, ">5"), ("a", ","), (1, "9" * 30)):
    try:
        print(format(v, s))
    except Exception as e:
        print(type(e).__name__, e)


class P:
    def __init__(self):
        self.a = [10, {"k": "deep"}]

    def __repr__(self):
        return "P()"

    def __str__(self):
        return "str-P"


p = P()
print("{0.a[1][k]} {0} {0!r}".format(p), f"{p} {p!r} {p.a[0]}", "%s %r" % (p, p), str(p), [p], (p,), {"p": p})
