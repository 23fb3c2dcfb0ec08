# Strings: literals, indexing, slicing, comparison, iteration, repr.
s = "hello, wörld €😀"
print(s, len(s), s[0], s[-1], s[7:12], s[::-1], s[::2], s[-3:], s[:-3], s[100:], s[5:2])
print(repr("it's"), repr('say "hi"'), repr("both ' and \""), repr("\n\t\r\\\x00\x7f\xa0é€😀\u200b"), ascii("é€😀\x01"), repr(""))
print("a" "b" 'c', 'x\ty', "line\
continued", r"raw\n", """tri
ple""", "\101\x41\u0041\U00000041", "\'\"")
print("abc" < "abd", "abc" < "ab", "Z" < "a", "" < "a", "a" == "a", "a" != "b", "abc" >= "abc", "é" > "z")
print("ell" in s, "x" in "abc", "" in "abc", "abc" not in "ab", "w" * 3, 3 * "ab", "x" * 0, "x" * -1, "a" + "b")
print(list("aé😀"), [c for c in "abc"], tuple("xy"), sorted("banana"), "".join(reversed("abc")), set("aab") == {"a", "b"}, max("abc"), min("abc"))
print(ord("a"), ord("é"), ord("😀"), chr(97), chr(233), chr(128512), chr(0x10ffff) == "\U0010ffff")
print(str(5), str(1.5), str(None), str(True), str([1, "a"]), str(b"x"), str({"a": (1,)}), str(), str(b"\xc3\xa9", "utf-8"))
print(hash("a") == hash("a"), hash("") == hash(""), bool(""), bool("x"), not "")
print("%s has %d" % ("x", 3), "a,b".split(","), ",".join(["a", "b"]), ",".join([]), ",".join(x for x in "xyz"))
for i, c in enumerate("añ"):
    print(i, c, ord(c))
a = "start"
a += "-end"
b = a
a += "!"
print(a, b)
parts = []
for i in range(5):
    parts.append(str(i) * i)
print("|".join(parts), len("|".join(parts)))
print("abc"[1], "abc"[-2], "abc"[True], "abcdef"[1:-1:2], "abcdef"[::-2], "abcdef"[4:1:-1], "abc"[slice(1, None)])
for bad in (lambda: "abc"[3], lambda: "abc"["a"], lambda: "a" + 1, lambda: "a" * "b", lambda: ord("ab"), lambda: ord(""), lambda: chr(-1), lambda: chr(0x110000),
            lambda: "a" < 1, lambda: ",".join([1]), lambda: "abc"[::0], lambda: ",".join(5), lambda: "abc".foo, lambda: str(b"\xff", "utf-8")):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)
try:
    s[0] = "x"
except TypeError as e:
    print(e)
try:
    del s[0]
except TypeError as e:
    print(e)
long = "ab" * 1000
print(len(long), long.count("ba"), long[500:504], long.find("ba", 1500), long == "ab" * 1000, hash(long) == hash("ab" * 1000))
print("\ud800" == "\ud800", len("\ud800"), repr("\ud800"), ascii("\udfff"))
print("日本語"[1], "日本語"[::-1], "日本語" + "!", "日本語".encode(), "ÄÖ".lower(), "straße".upper(), "ǆ".title(), "İ".lower() == "i̇")
