# bytes, bytearray and memoryview.
b = b"hello\x00\xff'\"\n"
print(b, len(b), b[0], b[-1], b[1:3], b[::-1], list(b[:3]), bytes(3), bytes([1, 2, 255]), bytes(b"x"), bytes("é", "utf-8"), bytes(range(5)), b"")
print(b'a"b', b"a'b", b"\\ \t\r\n \x7f", rb"\n", b"a" b"b", repr(b"'"), str(b"a"))
print(b"abc" + b"d", b"ab" * 3, b"a" in b"abc", 97 in b"abc", b"bc" in b"abc", b"a" < b"b", b"a" == b"a", b"a" != "a", hash(b"abc") == hash(b"abc"), bool(b""), b"abc" >= b"abb")
print(b"a,b".split(b","), b" a b ".split(), b",".join([b"x", b"y"]), b"aXbX".replace(b"X", b"--"), b"hello".find(b"l"), b"hello".find(108), b"hello".rfind(b"l"), b"hello".index(b"e"), b"hello".count(b"l"), b"hello".startswith(b"he"), b"hello".endswith((b"x", b"o")), b" x ".strip(), b"ab".upper(), b"AB".lower())
print(b"\x01\xab".hex(), bytes.fromhex("01 ab"), b"\xab\xcd".hex("-"), b"caf\xc3\xa9".decode(), b"\xe9".decode("latin-1"), b"\xff".decode("utf-8", "replace"), b"a\xffb".decode("ascii", "ignore"), b"ab".isalpha(), b"12".isdigit())
for x in b"ab":
    print(x)
a = bytearray(b"abc")
a.append(100)
a.extend(b"ef")
a.extend([1, 2])
a[0] = 65
a[1:3] = b"XYZ"
a.insert(0, 33)
print(a, len(a), a.pop(), a.pop(0), a, a[1], a[-2:], bytes(a), a == bytearray(a), a == bytes(a))
a += b"++"
del a[0]
del a[1:3]
a[::2] = b"." * len(a[::2])
a.reverse()
print(a, bytearray(3), bytearray([1, 2]), bytearray("é", "utf-8"), bytearray(b"x") + b"y", bytearray(b"ab") * 2, b"." in a)
a.remove(46)
a.clear()
print(a, bool(a), bytearray(b"a,b").split(b","), bytearray(b"abc").find(b"c"), bytearray(b"abc").decode(), bytearray(b"q").hex(), bytearray(b"AbC").lower())
m = memoryview(b"abcdef")
print(len(m), m[0], m[-1], bytes(m[1:4]), m[1:4].tobytes(), list(m[::2]), m.tolist(), m.nbytes, m.readonly, m.itemsize, m.format, m == b"abcdef", m[2:4] == b"cd", m.obj)
w = bytearray(b"12345")
v = memoryview(w)
v[0] = 120
v[1:3] = b"yz"
print(w, v.readonly, v.tobytes(), bytes(v), v[1:].tobytes(), v[3:][0])
try:
    w.append(1)
except BufferError as e:
    print("BufferError:", e)
v.release()
w.append(33)
print(w)
with memoryview(b"xy") as mv:
    print(mv.tobytes())
for bad in (lambda: b"a" + "a", lambda: b"abc"[5], lambda: bytes([256]), lambda: bytes(-1), lambda: b"a".decode("nope"), lambda: b"\xff".decode(), lambda: b"a" < "a", lambda: bytes("a"), lambda: b"a".index(b"z"),
            lambda: bytearray(b"a").remove(5), lambda: bytearray().pop(), lambda: memoryview(b"a")[3], lambda: memoryview("a"), lambda: v[0], lambda: bytes.fromhex("0"), lambda: b"a".join(["x"]), lambda: "a" in b"a", lambda: 300 in b"a"):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)
try:
    memoryview(b"abc")[0] = 1
except TypeError as e:
    print(e)
try:
    b"abc"[0] = 1
except TypeError as e:
    print(e)
big = bytes(range(256)) * 1000
print(len(big), big[255], big[256:260], big.count(b"\x00\x01"), sum(big), memoryview(big)[1000:1004].tobytes(), big == bytes(bytearray(big)))
