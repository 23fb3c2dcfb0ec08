# Methods of str.
s = "  Hello World  "
print([s.strip(), s.lstrip(), s.rstrip(), "xxaxx".strip("x"), "abcabc".strip("abc"), "abcx".rstrip("x"), "\t\n a \r".strip(), "".strip()])
print("a,b,,c".split(","), "a b  c ".split(), "a,b,c".split(",", 1), "".split(), "".split(","), "a--b--c".split("--"), " a b ".split(" "), "a b c d".split(None, 2), "a,b,c".rsplit(",", 1), "a b c".rsplit(None, 1), "x".rsplit("x"))
print("a\nb\r\nc\rd".splitlines(), "a\nb\n".splitlines(True), "".splitlines(), "\n".splitlines(), "a\x0bb\x1cc\u2028d".splitlines())
print("hello".find("l"), "hello".find("z"), "hello".rfind("l"), "hello".find("l", 3), "hello".find("l", 4), "hello".find("", 2), "hello".rfind(""), "hello".find("lo", 0, 4), "hello".index("e"), "hello".rindex("l"), "hello".count("l"), "hello".count(""), "aaaa".count("aa"), "hello".find("o", -2))
print("a-b-c".replace("-", "+"), "a-b-c".replace("-", "", 1), "abc".replace("", "."), "aaa".replace("a", "bb", 2), "abc".replace("x", "y"))
print("hello".startswith("he"), "hello".startswith(("x", "h")), "hello".startswith("l", 2), "hello".endswith("lo"), "hello".endswith(("x", "o")), "hello".endswith("l", 0, 4), "".startswith(""), "a".startswith("ab"))
print("aBc".upper(), "aBc".lower(), "aBC dE".capitalize(), "hello world it's".title(), "aBc".swapcase(), "ÀÉ".lower(), "ß".upper(), "ŉ".upper(), "ΑΣ".lower(), "Straße".casefold())
print(["12".isdigit(), "1a".isdigit(), "".isdigit(), "²".isdigit(), "²".isdecimal(), "½".isnumeric(), "ab".isalpha(), "a1".isalpha(), "a1".isalnum(), "a 1".isalnum(), " \t".isspace(), "".isspace(), "AB".isupper(), "Ab".isupper(), "ab".islower(), "12".islower(), "Ab Cd".istitle(), "aB".istitle(), "ab_1".isidentifier(), "1a".isidentifier(), "abc".isascii(), "é".isascii(), "a\n".isprintable(), "é".isprintable()])
print("5".zfill(3), "-5".zfill(4), "+12".zfill(2), "ab".ljust(5) + "|", "ab".rjust(5), "ab".center(5) + "|", "ab".center(6, "*"), "abc".center(6, "*"), "abc".ljust(2), "x".rjust(3, "0"))
print("a=b=c".partition("="), "a=b=c".rpartition("="), "abc".partition("x"), "abc".rpartition("x"), "ab".partition("ab"))
print("a\tb\tc".expandtabs(4), "\t".expandtabs(3) + "|", "abc\td".expandtabs(), "prefix-x".removeprefix("prefix-"), "x.py".removesuffix(".py"), "abc".removeprefix("x"))
print("-".join(["a"]), "".join(["a", "b"]), ", ".join(map(str, [1, 2, 3])), "x".join("abc"), "-".join({"k": 1}))
print("é€".encode(), "é".encode("latin-1"), "abc".encode("ascii"), "a".encode("utf-8"), "é".encode("ascii", "replace"), "é".encode("ascii", "ignore"))
print("{}-{}".format(1, 2), "abc".__len__(), "abc".__contains__("b"), "a".__add__("b"), "abc".__getitem__(1), "a".__eq__("a"), "a".__lt__("b"), str.upper("x"), str.join(",", ["1", "2"]), "abc".__hash__() == hash("abc"))
print("hello world".translate({ord("o"): "0", ord("l"): None, ord("h"): 72}), str.maketrans("ab", "xy"), "aabbcc".translate(str.maketrans("ab", "xy", "c")))
for bad in (lambda: "a".index("b"), lambda: "a".rindex("b"), lambda: "a".split(""), lambda: "a".join([1, 2]), lambda: "a".replace("b"), lambda: "a".center(), lambda: "a".center(5, "xx"), lambda: "é".encode("ascii"),
            lambda: "a".partition(""), lambda: "a".startswith(1), lambda: "a".find(1), lambda: "a".encode("nope"), lambda: "a".strip(1), lambda: "abc".zfill("x")):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)
words = "the quick brown fox jumps over the lazy dog the end".split()
counts = {}
for w in words:
    counts[w] = counts.get(w, 0) + 1
print(sorted(counts.items(), key=lambda kv: (-kv[1], kv[0])))
print(" ".join(w.capitalize() for w in words if len(w) > 3), max(words, key=len), sorted(words, key=str.lower)[:3])

# Long texts: what is near, what is far, and what lies across the place where the one becomes the other.
for at in (0, 5, 32765, 32766, 32767, 32768, 32769, 65535, 70000, 99997):
    text = "." * at + "xyz" + "." * (100000 - 3 - at)
    wide = text.replace(".", "\u20ac")
    print(at, text.find("xyz"), text.rfind("xyz"), text.index("yz"), text.count("xyz"), "xyz" in text, "xyzz" in text,
          [len(part) for part in text.split("xyz")], [len(part) for part in text.rsplit("xyz")],
          [len(part) for part in text.partition("xyz")], [len(part) for part in text.rpartition("xyz")],
          wide.find("xyz"), wide.rfind("xyz"), [len(part) for part in wide.split("xyz")],
          [len(part) for part in text.replace("xyz", " \n ").split()],
          [len(part) for part in text.replace("xyz", " \n ").splitlines()])
text = "ab" * 50000
print(text.find("ba" * 20000), text.rfind("ba" * 49999), text.find(text), text.rfind(text), text.find(text + "a"),
      text.rfind("a" + text), text[1:].find("b" * 2), text.replace("", "-")[:7], len(text.replace("", "-")),
      len(text * 3), (text * 3).count("ba"), len(text + text), len(", ".join([text] * 3)), text.upper()[-4:],
      len(repr(text + "\n")), len(text.center(200001)), (" " * 70000 + "a" + " " * 70000 + "b").split())
