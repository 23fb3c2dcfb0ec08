# str: storage of all widths, methods, repr, comparison.
s = "Hello, World"
w = "naïve café – ünïcödé 日本語 😀"
print(len(s), len(w), s[0], s[-1], s[2:5], s[::-1], w[::-1], w[24:], s[100:], s[-3:], s[::3])
print(s.upper(), s.lower(), s.swapcase(), s.title(), "hELLO wORLD".capitalize(), w.upper(), "straße".upper(), "ΑΣΣΟΣ".lower(), "ß".casefold())
print(s.find("o"), s.rfind("o"), s.find("xyz"), s.index("World"), s.count("l"), "aaaa".count("aa"), "abc".count(""), s.find("o", 5), s.find("o", 5, 7), w.find("日"), w.rfind("é"))
print(s.replace("l", "L"), s.replace("l", "L", 2), "aaa".replace("", "-"), "aaa".replace("a", ""), w.replace("é", "e"))
print(s.startswith("Hell"), s.endswith("d"), s.startswith(("x", "H")), s.endswith(("x",)), s.startswith("o", 4), "".startswith(""))
print("  x y  ".strip() + "|", "  x y  ".lstrip() + "|", "  x y  ".rstrip() + "|", "xxabcxx".strip("x"), "abcba".strip("ab"), "\t\n x\u3000".strip())
print("a b  c".split(), " a b  c ".split(), "a,b,,c".split(","), "a,b,c,d".split(",", 2), "a b c d".split(None, 2), "".split(), "".split(","), "a--b--c".split("--"))
print("a b  c".rsplit(), "a,b,c,d".rsplit(",", 2), " a b c d ".rsplit(None, 2), "a\nb\r\nc\rd".splitlines(), "a\nb\n".splitlines(True), "".splitlines(), "a\x0bb\x1cc\u2028d".splitlines())
print("a=b=c".partition("="), "a=b=c".rpartition("="), "abc".partition("="), "abc".rpartition("="))
print(",".join(["a", "b", "c"]), "".join([]), "-".join("abc"), ", ".join(str(i) for i in range(5)), "é".join(["x", "日", "y"]))
print("abc".ljust(6) + "|", "abc".rjust(6, "*"), "abc".center(8, "-"), "abc".center(7, "-"), "42".zfill(5), "-42".zfill(5), "+7".zfill(4), "abc".zfill(2))
print("abc".isalpha(), "ab1".isalnum(), "12".isdigit(), "²".isdigit(), "²".isdecimal(), "½".isnumeric(), " \t".isspace(), "Abc".istitle(), "ABC".isupper(), "abc".islower(), "a_1".isidentifier(), "1a".isidentifier(), "a\n".isprintable(), "".isalpha(), "abc".isascii(), "é".isascii())
print("ab" * 3, 3 * "ab", "ab" * 0, "ab" * -1, "a" + "é" + "日" + "😀", "ell" in s, "" in s, "😀" in w, "zz" not in s)
print("a" < "b", "a" < "A", "abc" < "abd", "abc" < "ab", "é" > "z", "\uffff" < "\U00010000", "a" == "a", "a" != "b", max("hello"), min("hello"))
for t in ("it's", 'say "hi"', "both ' and \"", "tab\tnl\nret\rnul\0bs\\", "\x7f\x80\xa0\xad", "é", "日本", "😀", "\u200b", "\ud800", ""):
    print(repr(t), ascii(t), len(t))
print("x\ty".expandtabs(4), "\t|".expandtabs(), "01\t012\t0123\t".expandtabs(4) + "|")
print("hello".removeprefix("he"), "hello".removesuffix("lo"), "hello".removeprefix("x"))
print("abc".translate({97: "A", 98: None, 99: 100}), "hello".translate(str.maketrans("el", "ip", "o")))
print("abc".encode(), "é日😀".encode(), "é".encode("latin-1"), "aé".encode("ascii", "replace"), "aé".encode("ascii", "ignore"), b"\xc3\xa9".decode(), b"\xff".decode("latin-1"), b"a\xffb".decode("utf-8", "replace"), str(b"abc", "ascii"))
for f in (lambda: "é".encode("ascii"), lambda: b"\xff".decode(), lambda: "a".index("b"), lambda: "a" + 1, lambda: "abc"[10], lambda: "abc"["a"], lambda: "a,b".split(""), lambda: ",".join([1]), lambda: ",".join(["a", 2]), lambda: "a" * "b", lambda: 1 in "abc", lambda: "abc".center(5, "xx"), lambda: "a" < 1, lambda: b"\xe2\x82".decode(), lambda: "x".encode("nope"), lambda: "x".startswith(1)):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
print(hash("abc") == hash("ab" + "c"), hash("") == hash(""), hash("é") == hash("e\u0301"), len({"a", "b", "a"}))
print(list("aé日😀"), [c for c in reversed("abc")], list(enumerate("ab")), "".join(sorted("hello")), tuple("xy"))
print(str(), str(5), str(None), str([1, "a"]), str(b"x"), str("s"), repr(repr("a'b")), ord("日"), chr(128512), ord("a"))


class S(str):
    def shout(self):
        return self.upper() + "!"


x = S("hey")
print(x, x.shout(), type(x).__name__, type(x + "a").__name__, x == "hey", hash(x) == hash("hey"), {x: 1}["hey"], len(x), x[1], S("日本"), repr(x))
big = "x" * 100000 + "é"
print(len(big), big.count("x"), big.find("é"), len(big.replace("x", "yy")), big[99999:], len(big.split("x")))
acc = ""
for i in range(2000):
    acc += chr(65 + i % 26)
print(len(acc), acc[:30], hash(acc) == hash("".join([chr(65 + i % 26) for i in range(2000)])))
