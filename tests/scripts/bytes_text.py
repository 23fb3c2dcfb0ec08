"""bytes and bytearray as text: lines, cases, affixes, the % operator."""
for kind in (bytes, bytearray):
    b = kind(b"one\ntwo\r\nthree\r\rfour")
    print(b.splitlines(), b.splitlines(True), kind(b"").splitlines(), kind(b"\n").splitlines())
    print(kind(b"-7").zfill(5), kind(b"+").zfill(3), kind(b"42").zfill(1), kind(b"").zfill(2))
    print(kind(b"prefix-x").removeprefix(b"prefix-"), kind(b"a.py").removesuffix(b".py"))
    print(kind(b"a.py").removesuffix(b""), kind(b"abc").removeprefix(b"abcd"))
    print(kind(b"hELLO wORLD").capitalize(), kind(b"hELLO wORLD").swapcase())
    print(kind(b"they're bill's").title(), kind(b"\xe9cole").capitalize())
    print(kind(b"AB1").isupper(), kind(b"1").isupper(), kind(b"ab").islower(), kind(b"aB").islower())
    print(kind(b"a\x80").isascii(), kind(b"").isascii())
    print(kind(b"a.b.c").rpartition(b"."), kind(b"abc").rpartition(b"."))
    print(kind(b"%d|%5d|%-5d|%05d|%x|%#X") % (1, 22, 333, 44, 255, 255))
    print(kind(b"%s %b %c %c") % (b"text", bytearray(b"more"), 65, b"z"))
    print(kind(b"%(a)s=%(b)d %%") % {b"a": b"x", b"b": 3})
    print(kind(b"%.2f %e %r %a") % (3.14159, 12345.678, "q", "\u00e9"))
    print(kind(b"\xff%s") % b"\xfe")
    print(kind(b"%s") % b"alone", kind(b"%d items") % 3)
    for bad, args in ((b"%s", "text"), (b"%d", b"x"), (b"%d %d", (1,)), (b"%d", (1, 2))):
        try:
            print(kind(bad) % args)
        except TypeError as e:
            print("TypeError", bad)
    print(type(kind(b"%d") % 1).__name__)
print("{a}-{b[0]}".format_map({"a": 1, "b": [2]}))


class Default(dict):
    def __missing__(self, key):
        return "<" + key + ">"


print("{x} {y}".format_map(Default(x=1)))

for kind in (bytes, bytearray):
    b = kind(b"a\tbb\tHello World\n\tx")
    print(b.expandtabs(), b.expandtabs(3), b.expandtabs(tabsize=0), kind(b"Ab Cd 1e").istitle(), kind(b"Ab Cd").istitle(), kind(b"").istitle())
    table = kind.maketrans(b"lo", b"01")
    print(type(table).__name__, b.translate(table), b.translate(None, b"l\t"), b.translate(table, delete=b"H"), b.translate(None))
for bad in (lambda: b"a".translate(b"short"), lambda: bytes.maketrans(b"a", b"bc"), lambda: b"a".translate(1)):
    try:
        bad()
    except (ValueError, TypeError) as e:
        print(type(e).__name__)
