"""Message digests: md5 (RFC 1321), sha1 and sha256 (FIPS 180-4), sha512.

Written for programs that check a result with a digest, not for speed.
"""

from _random import sha512 as _sha512


def _rotate(x, n):
    return ((x << n) | (x >> (32 - n))) & 0xFFFFFFFF


def _root_bits(n, power):
    """The first 32 bits of the fraction of n ** (1 / power)."""
    value = n << (32 * power)
    low, high = 0, 1 << 40
    while high - low > 1:
        middle = (low + high) // 2
        if middle ** power <= value:
            low = middle
        else:
            high = middle
    return low & 0xFFFFFFFF


def _primes(count):
    found = []
    n = 2
    while len(found) < count:
        if all(n % p for p in found):
            found.append(n)
        n += 1
    return found


def _md5_tables():
    from math import sin
    return ([int(abs(sin(i + 1)) * 4294967296) for i in range(64)],
            [7, 12, 17, 22] * 4 + [5, 9, 14, 20] * 4 + [4, 11, 16, 23] * 4 + [6, 10, 15, 21] * 4)


_SINES, _SHIFTS = _md5_tables()
_K256 = [_root_bits(p, 3) for p in _primes(64)]
_H256 = [_root_bits(p, 2) for p in _primes(8)]


class _Hash:
    """Collects whole blocks of 64 bytes and hands them to _block."""

    block_size = 64

    def __init__(self, data=b""):
        self._state = list(self._start)
        self._rest = b""
        self._length = 0
        self.update(data)

    def update(self, data):
        if isinstance(data, str):
            raise TypeError("Strings must be encoded before hashing")
        data = bytes(data)
        self._length += len(data)
        data = self._rest + data
        whole = len(data) // 64 * 64
        for at in range(0, whole, 64):
            self._state = self._block(self._state, data[at:at + 64])
        self._rest = data[whole:]

    def copy(self):
        other = type(self)()
        other._state, other._rest, other._length = list(self._state), self._rest, self._length
        return other

    def digest(self):
        tail = self._rest + b"\x80"
        tail += bytes(-(len(tail) + 8) % 64) + (self._length * 8).to_bytes(8, self._order)
        state = self._state
        for at in range(0, len(tail), 64):
            state = self._block(state, tail[at:at + 64])
        return b"".join([word.to_bytes(4, self._order) for word in state])

    def hexdigest(self):
        return self.digest().hex()


class _Md5(_Hash):
    name = "md5"
    digest_size = 16
    _order = "little"
    _start = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476)

    def _block(self, state, block):
        words = [int.from_bytes(block[i:i + 4], "little") for i in range(0, 64, 4)]
        a, b, c, d = state
        for i in range(64):
            if i < 16:
                f, g = (b & c) | (~b & d), i
            elif i < 32:
                f, g = (d & b) | (~d & c), (5 * i + 1) & 15
            elif i < 48:
                f, g = b ^ c ^ d, (3 * i + 5) & 15
            else:
                f, g = c ^ (b | (~d & 0xFFFFFFFF)), (7 * i) & 15
            f = (f + a + _SINES[i] + words[g]) & 0xFFFFFFFF
            a, d, c, b = d, c, b, (b + _rotate(f, _SHIFTS[i])) & 0xFFFFFFFF
        return [(x + y) & 0xFFFFFFFF for x, y in zip(state, (a, b, c, d))]


class _Sha1(_Hash):
    name = "sha1"
    digest_size = 20
    _order = "big"
    _start = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0)

    def _block(self, state, block):
        w = [int.from_bytes(block[i:i + 4], "big") for i in range(0, 64, 4)]
        for i in range(16, 80):
            w.append(_rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1))
        a, b, c, d, e = state
        for i in range(80):
            if i < 20:
                f, k = (b & c) | (~b & d), 0x5A827999
            elif i < 40:
                f, k = b ^ c ^ d, 0x6ED9EBA1
            elif i < 60:
                f, k = (b & c) | (b & d) | (c & d), 0x8F1BBCDC
            else:
                f, k = b ^ c ^ d, 0xCA62C1D6
            a, b, c, d, e = (_rotate(a, 5) + f + e + k + w[i]) & 0xFFFFFFFF, a, _rotate(b, 30), c, d
        return [(x + y) & 0xFFFFFFFF for x, y in zip(state, (a, b, c, d, e))]


class _Sha256(_Hash):
    name = "sha256"
    digest_size = 32
    _order = "big"
    _start = _H256

    def _block(self, state, block):
        w = [int.from_bytes(block[i:i + 4], "big") for i in range(0, 64, 4)]
        for i in range(16, 64):
            x, y = w[i - 15], w[i - 2]
            s0 = _rotate(x, 25) ^ _rotate(x, 14) ^ (x >> 3)
            s1 = _rotate(y, 15) ^ _rotate(y, 13) ^ (y >> 10)
            w.append((w[i - 16] + s0 + w[i - 7] + s1) & 0xFFFFFFFF)
        a, b, c, d, e, f, g, h = state
        for i in range(64):
            s1 = _rotate(e, 26) ^ _rotate(e, 21) ^ _rotate(e, 7)
            t1 = h + s1 + ((e & f) ^ (~e & g)) + _K256[i] + w[i]
            s0 = _rotate(a, 30) ^ _rotate(a, 19) ^ _rotate(a, 10)
            t2 = s0 + ((a & b) ^ (a & c) ^ (b & c))
            a, b, c, d, e, f, g, h = ((t1 + t2) & 0xFFFFFFFF, a, b, c,
                                      (d + t1) & 0xFFFFFFFF, e, f, g)
        return [(x + y) & 0xFFFFFFFF for x, y in zip(state, (a, b, c, d, e, f, g, h))]


class _Sha512:
    name = "sha512"
    digest_size = 64
    block_size = 128

    def __init__(self, data=b""):
        self._data = bytearray()
        self.update(data)

    def update(self, data):
        if isinstance(data, str):
            raise TypeError("Strings must be encoded before hashing")
        self._data.extend(data)

    def copy(self):
        return _Sha512(self._data)

    def digest(self):
        return _sha512(bytes(self._data))

    def hexdigest(self):
        return self.digest().hex()


_kinds = {"md5": _Md5, "sha1": _Sha1, "sha256": _Sha256, "sha512": _Sha512}
algorithms_available = algorithms_guaranteed = set(_kinds)


def md5(data=b"", *, usedforsecurity=True):
    return _Md5(data)


def sha1(data=b"", *, usedforsecurity=True):
    return _Sha1(data)


def sha256(data=b"", *, usedforsecurity=True):
    return _Sha256(data)


def sha512(data=b"", *, usedforsecurity=True):
    return _Sha512(data)


def new(name, data=b"", *, usedforsecurity=True):
    kind = _kinds.get(name.lower())
    if kind is None:
        raise ValueError("unsupported hash type " + name)
    return kind(data)
