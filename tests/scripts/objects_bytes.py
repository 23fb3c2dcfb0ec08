# bytes, bytearray, memoryview.
b = b"hello world"
print(b, len(b), b[0], b[-1], b[1:4], b[::-1], b[::3], b + b"!", b * 2, b"ell" in b, 104 in b, b == b"hello world", b < b"help", hash(b) == hash(bytes(bytearray(b))))
print(bytes(3), bytes([1, 2, 255]), bytes(range(5)), bytes("é", "utf-8"), bytes(b"x"), bytes(), bytes(bytearray(b"q")), bytes(memoryview(b"mv")), bytes(x for x in [65, 66]))
print(b.find(b"o"), b.rfind(b"o"), b.find(111), b.index(b"w"), b.count(b"l"), b.count(108), b.replace(b"l", b"LL"), b.split(), b.split(b"o"), b.split(b"o", 1), b.rsplit(b"o", 1), b" a b ".split(), b"-".join([b"a", b"b"]), b.startswith(b"he"), b.endswith((b"x", b"ld")), b" x ".strip(), b"xxaxx".strip(b"x"), b.upper(), b"AbC".lower(), b"12".isdigit(), b"ab".isalpha(), b.partition(b" "), b.hex(), b.hex(" ", 4), bytes.fromhex("00 ff 1a"), b"a".ljust(3, b"."), b"a".rjust(3), b"a".center(4, b"*"))
print(repr(b"\x00\x7f\xff\n\t\r\\'"), repr(b"it's"), repr(b'"\''), str(b"x"), b"abc".decode(), b"\xc3\xa9".decode("utf-8"))
for f in (lambda: b"a" + "b", lambda: b[100], lambda: bytes([256]), lambda: bytes(-1), lambda: bytes("a"), lambda: b"a".index(b"z"), lambda: bytes.fromhex("0g"), lambda: b"".join(["a"]), lambda: b["x"], lambda: bytes([1.5]), lambda: "a" in b"a", lambda: bytearray(b"a").pop(5), lambda: b"x" < "x"):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
print(b"a" == "a", b"" == bytearray(), bool(b""), list(b"abc"), [x for x in b"xy"], sorted(b"cab"), max(b"az"), b"abc".__len__())
a = bytearray(b"abc")
a.append(100); a.extend(b"ef"); a.extend([103]); a.insert(0, 64); a[1] = 65; a[2:4] = b"XYZ"; print(a, len(a), a.pop(), a.pop(0), a)
del a[0]; del a[1:3]; print(a); a += b"tail"; a *= 2; print(a, a[1:3], a[::-1]); a[::2] = b"-" * len(a[::2]); print(a)
a.reverse(); print(a); a.remove(45); print(a); c = a.copy(); a.clear(); print(a, c, a == b"", c.find(b"a"), bytes(c), c.upper(), c.decode())
a = bytearray(range(10)); del a[::3]; print(list(a)); a[1:1] = [200, 201]; print(list(a)); a[:] = b""; print(a)
try:
    hash(a)
except TypeError as e:
    print(e)
m = memoryview(b"abcdef")
print(len(m), m[0], m[1:3].tobytes(), m.tobytes(), m.nbytes, m.readonly, bytes(m[::2]), m[::-1].tobytes(), m == b"abcdef", m[2:] == b"cdef", list(m[:2]), m.tolist(), m.format, m.itemsize, m.shape, m.obj)
ba = bytearray(b"12345")
v = memoryview(ba)
v[0] = 65; v[1:3] = b"xy"; print(ba, v.readonly)
try:
    ba.append(1)
except BufferError as e:
    print(e)
w = v[1:3]
v.release()
try:
    v[0]
except ValueError as e:
    print(e)
try:
    ba.append(1)
except BufferError as e:
    print(e)
w.release()
ba.append(33); print(ba)
try:
    m[0] = 1
except TypeError as e:
    print(e)
with memoryview(b"ctx") as mm:
    print(mm[0])
try:
    len(mm)
except ValueError as e:
    print(e)
big = bytes(range(256)) * 1000
print(len(big), big[255], big.count(b"\x00"), memoryview(big).tobytes() == big, len(memoryview(big)[1000:2000].tobytes()), big.find(b"\xff\x00"))
x = b"1234"
print(int.from_bytes(x, "big"), (2**31).to_bytes(8, "little"), x.__class__.__name__)


class B(bytes):
    pass


y = B(b"sub"); print(y, type(y).__name__, y == b"sub", type(y + b"x").__name__, len(y))
