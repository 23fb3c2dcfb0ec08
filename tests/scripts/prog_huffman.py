# Compression: Huffman codes and LZ77 over bytes, packed into bits, back again; arithmetic checks by crc.
import heapq
import zlib
from collections import Counter

TEXT = (b"She sells sea shells by the sea shore; the shells she sells are sea shells, I'm sure. " * 12
        + bytes(range(256)) + b"abcabcabcabcabc" * 30)


class Bits:
    def __init__(self, data=b""):
        self.data, self.at, self.acc, self.n = bytearray(data), 0, 0, 0

    def write(self, value, width):
        self.acc = self.acc << width | value
        self.n += width
        while self.n >= 8:
            self.n -= 8
            self.data.append(self.acc >> self.n & 255)
        self.acc &= (1 << self.n) - 1

    def finish(self):
        if self.n:
            self.write(0, 8 - self.n)
        return bytes(self.data)

    def bit(self):
        byte = self.data[self.at >> 3]
        b = byte >> (7 - (self.at & 7)) & 1
        self.at += 1
        return b

    def read(self, width):
        v = 0
        for _ in range(width):
            v = v << 1 | self.bit()
        return v


def lengths(counts):
    heap = [(n, s, (s,)) for s, n in counts.items()]
    heapq.heapify(heap)
    depth = dict.fromkeys(counts, 0)
    while len(heap) > 1:
        a, b = heapq.heappop(heap), heapq.heappop(heap)
        for s in a[2] + b[2]:
            depth[s] += 1
        heapq.heappush(heap, (a[0] + b[0], min(a[1], b[1]), a[2] + b[2]))
    return depth


def canonical(depth):
    code, last, out = 0, 0, {}
    for s, d in sorted(depth.items(), key=lambda x: (x[1], x[0])):
        code <<= d - last
        out[s] = (code, d)
        code, last = code + 1, d
    return out


def huffman(data):
    depth = lengths(Counter(data))
    codes = canonical(depth)
    bits = Bits()
    bits.write(len(data), 32)
    bits.write(len(depth), 16)
    for s, d in sorted(depth.items()):
        bits.write(s, 8)
        bits.write(d, 6)
    for b in data:
        bits.write(*codes[b])
    return bits.finish()


def unhuffman(packed):
    bits = Bits(packed)
    size, n = bits.read(32), bits.read(16)
    depth = {}
    for _ in range(n):
        s = bits.read(8)
        depth[s] = bits.read(6)
    table = {v: s for s, v in canonical(depth).items()}
    out = bytearray()
    while len(out) < size:
        code = width = 0
        while (code, width) not in table:
            code = code << 1 | bits.bit()
            width += 1
        out.append(table[code, width])
    return bytes(out)


def lz(data, window=1024):
    seen, out, i = {}, [], 0
    while i < len(data):
        best, at = 0, 0
        for j in seen.get(data[i:i + 3], ())[-8:]:
            if i - j > window:
                continue
            n = 0
            while n < 255 and i + n < len(data) and data[j + n] == data[i + n]:
                n += 1
            if n > best:
                best, at = n, i - j
        step = best if best > 3 else 1
        out.append((at, best) if best > 3 else data[i])
        for k in range(i, i + step):
            seen.setdefault(data[k:k + 3], []).append(k)
        i += step
    return out


def unlz(items):
    out = bytearray()
    for item in items:
        if isinstance(item, tuple):
            at, n = item
            for _ in range(n):
                out.append(out[-at])
        else:
            out.append(item)
    return bytes(out)


packed = huffman(TEXT)
print(len(TEXT), len(packed), zlib.crc32(packed), unhuffman(packed) == TEXT)
items = lz(TEXT)
print(len(items), sum(isinstance(i, tuple) for i in items), max(i[1] for i in items if isinstance(i, tuple)), unlz(items) == TEXT)
stream = bytes(b for i in items for b in ((255, i[0] >> 8, i[0] & 255, i[1]) if isinstance(i, tuple) else (i,)))
print(len(stream), zlib.crc32(stream), len(huffman(stream)))
depth = lengths(Counter(b"abracadabra"))
print(sorted((chr(s), d) for s, d in depth.items()), {chr(s): format(c, "0%db" % d) for s, (c, d) in canonical(depth).items()})
print(sum(2.0 ** -d for d in lengths(Counter(TEXT)).values()))
print(unhuffman(huffman(b"\x00\x01" * 5)), memoryview(packed)[:8].tobytes().hex())
