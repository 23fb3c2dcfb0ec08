# Text: translate, format and format_map, __format__, Template, methods of str and bytes, Unicode.
import string


def attempt(function, *args, **kw):
    try:
        print(repr(function(*args, **kw)))
    except Exception as e:
        print(type(e).__name__, e)


table = str.maketrans("abc", "xyz", "d")
print("abcd dcba".translate(table), "héllo".translate({0xe9: "e", ord("l"): None, ord("o"): 48}), str.maketrans({"a": "1", 98: None}))


class Upper(dict):
    def __missing__(self, key):
        return chr(key).upper()


class Refuses:
    def __getitem__(self, key):
        if key == ord("x"):
            raise LookupError
        return "-"


print("mixed Case".translate(Upper()), "axb".translate(Refuses()))
for bad in (lambda: str.maketrans("ab", "c"), lambda: "a".translate({97: 0x110000}), lambda: str.maketrans({"ab": 1}), lambda: "a".translate(5)):
    attempt(bad)


class Default(dict):
    def __missing__(self, key):
        return "{" + key + "}"


print("{a} {b} {c.real} {d[0]} {d[k]}".format_map({"a": 1, "b": 2.5, "c": 3, "d": {0: "zero", "k": "key"}}))
print("{x} and {y}".format_map(Default(x=1)))
attempt("{a}".format_map, {})
attempt("{}".format)
attempt("{0} {}".format, 1, 2)
attempt("{a.b}".format, a=1)
attempt("{".format)
attempt("{!z}".format, 1)
print("{0!r:>8}|{0!s:<8}|{0!a:^8}|{1:{2}.{3}f}".format("é", 3.14159, 10, 2), "{{}} {:%}".format(0.256), "{:,} {:_x}".format(1234567, 0xdeadbeef))


class Money:
    def __init__(self, amount):
        self.amount = amount

    def __format__(self, spec):
        if spec.endswith("$"):
            return "$" + format(self.amount, spec[:-1])
        return format(str(self), spec)

    def __str__(self):
        return "Money(%s)" % self.amount


m = Money(1234.5)
print(f"{m:,.2f$} {m} {m:>15}|{m!s:.5} {m!r:.3}", "{:08.1f$}".format(m), format(m), "%s" % m)


class NoSpec:
    pass


attempt(lambda: f"{NoSpec():x}")
attempt(lambda: format(5, "q"))
attempt(lambda: format("s", "d"))
attempt(lambda: format(1.5, "d"))


class BadFormat:
    def __format__(self, spec):
        return 5


attempt(lambda: f"{BadFormat()}")
for spec in ("5", "<5", "^6", "+", "#x", "#o", "#b", "08b", "+,", "e", ".3e", "g", "c", "n"):
    print(spec, repr(format(97, spec)), end=" ")
print()
for value in (1234.5678, -0.0, 1e20, 1e-7, float("inf"), float("nan")):
    print([format(value, spec) for spec in ("", ".2f", "e", "g", "10.3g", "+.1f", "%", ",.1f", "<12", "012.3f")])

t = string.Template("$who owes ${amount}$$ to $who2, not ${other}")
print(t.substitute(who="Ann", amount=5, who2="Bob", other="Eve"), "|", t.safe_substitute(who="Ann"), t.get_identifiers(), t.is_valid())
attempt(t.substitute, who=1)
attempt(string.Template("bad $ sign").substitute)
attempt(string.Template("two\nlines ${x").substitute)
print(string.Template("$").safe_substitute(), string.capwords("hello wide  world"), string.Formatter().format("{0}-{x}", 1, x=2))
print(string.ascii_letters[24:28], string.octdigits, string.hexdigits[-6:], len(string.punctuation), repr(string.whitespace))

s = "The quick brown fox"
print(s.partition(" "), s.rpartition(" "), s.split(None, 1), s.rsplit(" ", 1), s.title(), s.swapcase(), s.casefold(), s.count("o"), s.find("q", 5))
print("a,b,,c".split(","), "  x ".split(), "".split(), "".split(","), "\n".join(["a", "b"]).splitlines(), "a\x0bb\x85c\u2028d".splitlines(), "a\r\n\r".splitlines(True))
print("abc".removeprefix("ab"), "abc".removesuffix("x"), "x".zfill(3), "+5".zfill(4), "tab\tx\ty".expandtabs(4), "ab".ljust(4, ".") + "|" + "ab".rjust(4) + "|" + "ab".center(5, "*"))
print("ß".upper(), "ﬁ".title(), "İ".lower().encode(), "Σας".lower(), "ǆ".capitalize(), "é" == "e\u0301", "straße".casefold() == "STRASSE".casefold())
print([f for f in ("isalpha", "isdigit", "isdecimal", "isnumeric", "isalnum", "isspace", "isupper", "islower", "istitle", "isidentifier", "isprintable", "isascii")
       if getattr("Ab1", f)()], "٣".isdigit(), "½".isnumeric(), "_a".isidentifier(), "\u00a0".isspace(), "\n".isprintable())
print("aXbX".replace("X", "--", 1), "abc".index("c"), "abcabc".rindex("b"), "abc".startswith(("x", "a")), "abc".endswith("bc", 1, 3), "é".encode("utf-8"), b"\xc3\xa9".decode())
print("1", "\x41\u00e9\U0001f30a", repr("\x7f\x80\u200b\U0001f30a'"), ascii("é\U0001f30a"), "tide🌊"[-1], len("🌊"), "🌊" * 2)
attempt("abc".index, "z")
attempt("é".encode, "ascii")
print("é".encode("ascii", "replace"), "é".encode("ascii", "ignore"), b"\xff".decode("utf-8", "replace"), "é".encode("ascii", "xmlcharrefreplace"))
b = b"Bytes and More"
print(b.lower(), b.split(), b.replace(b"o", b"0"), b.find(b"and"), b.startswith(b"By"), b[1:4], b[0], list(b[:3]), b.hex(":")[:8], bytes.fromhex("41 42"), b.title())
print(b"%d-%s-%x" % (5, b"z", 255), b"a" < b"b", b"ab" + bytes([99]), b"x" * 3, b"a\nb".splitlines(), b"7".zfill(3), b"ab".isalpha())
