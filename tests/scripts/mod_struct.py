"""struct: sizes, orders, ranges, texts and floats, packed and unpacked."""
import struct

for fmt in ("b", "<h", ">h", "!I", "=q", "@l", "<l", "bhil", "<bhil", "3s", "5p", "?", "c", "2x", "d", ">f", "hhl", "lhh",
            "b3xi", "10s2H", "Q", "n"):
    print(fmt, struct.calcsize(fmt))
print(struct.pack("<bBhHiIqQ", -1, 255, -2, 65535, -3, 4294967295, -4, 2 ** 64 - 1))
print(struct.pack(">bBhHiIqQ", -1, 255, -2, 65535, -3, 4294967295, -4, 2 ** 64 - 1))
print(struct.pack("<3s5s2s", b"abc", b"xy", b"long"), struct.pack("4p", b"abcdef"))
print(struct.pack("<?c2xh", True, b"z", 7), struct.pack("bi", 1, 2))
print(struct.pack(">f", 1.5), struct.pack("<d", -0.1), struct.pack("<f", float("inf")))
for fmt, values in (("<bHq", (-5, 77, 1 << 40)), (">fd", (0.5, 1e300)), ("4s?", (b"abcd", False)), ("5p", (b"hi",))):
    data = struct.pack(fmt, *values)
    print(data, struct.unpack(fmt, data) == values)
print(struct.unpack(">HH", b"\x01\x02\x03\x04"), struct.unpack_from("<H", b"....\x05\x00", 4))
print(list(struct.iter_unpack("<h", b"\x01\x00\x02\x00\xff\xff")))
s = struct.Struct(">B")
print(s.size, s.format, s.pack(200), s.unpack(b"\x07"))
buffer = bytearray(8)
struct.pack_into("<I", buffer, 2, 0xDEADBEEF)
print(buffer)
for fmt, values in (("b", (128,)), ("B", (-1,)), ("<h", (40000,)), ("i", (1 << 31,)), ("b", ("x",)), ("bb", (1,)),
                    ("c", (b"xx",)), ("3s", ("abc",)), ("y", (1,)), ("3", (1,)), ("d", ("x",))):
    try:
        print(struct.pack(fmt, *values))
    except struct.error as e:
        print("error", e)
try:
    struct.unpack("<I", b"123")
except struct.error as e:
    print(e)
try:
    struct.pack("<f", 1e39)
except OverflowError as e:
    print(e)
