# Random operations on lists, dicts, sets, bytearrays and text; every result goes into a checksum that CPython must
# share. A wrong checksum: print(n, k, r) in the block of 200 operations that it names shows which one.
import zlib

seed = 1
def rnd():
    global seed
    seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
    return seed >> 33
def rv():
    k = rnd() % 8
    if k < 3: return rnd() % 20
    if k == 3: return str(rnd() % 10)
    if k == 4: return (rnd() % 3, str(rnd() % 3))
    if k == 5: return (rnd() % 40) / 2
    if k == 6: return None
    return bytes([65 + rnd() % 3])
def ri(): return rnd() % 30 - 15
def sl():
    f = lambda: None if rnd() % 3 == 0 else ri()
    st = [None, 1, -1, 2, -2, 3, -3][rnd() % 7]
    return slice(f(), f(), st)
l = []; d = {}; s = set(); b = bytearray(); t = "abc"
crc = 0
for n in range(20000):
    k = rnd() % 40
    try:
        if k == 0: l.append(rv()); r = len(l)
        elif k == 1: l.insert(ri(), rv()); r = l[:3]
        elif k == 2: r = l.pop(ri())
        elif k == 3: l[sl()] = [rv() for _ in range(rnd() % 5)]; r = len(l)
        elif k == 4: del l[sl()]; r = len(l)
        elif k == 5: r = l[sl()]
        elif k == 6: l.remove(rv()); r = len(l)
        elif k == 7: r = (l.index(rv()), l.count(rv()))
        elif k == 8: l.reverse(); r = l[-2:]
        elif k == 9: l.sort(key=repr, reverse=rnd() % 2 == 1); r = l[:4]
        elif k == 10: l *= rnd() % 3; r = len(l); l = l[:40]
        elif k == 11: r = l < l[1:] if all(isinstance(x, int) for x in l) else l == l[:]
        elif k < 16: d[rv()] = rnd() % 100; r = list(d.items())[-2:]
        elif k == 16: r = d.pop(rv(), "no")
        elif k == 17: r = d.popitem()
        elif k == 18: r = d.setdefault(rv(), rnd() % 9)
        elif k == 19: d.update({rv(): rv()}); r = len(d)
        elif k == 20: del d[rv()]; r = list(d)
        elif k == 21: r = sorted((d | {rv(): 1}).keys(), key=repr)
        elif k == 22:
            if len(d) > 25: d.clear()
            r = d
        elif k < 26: s.add(rv()); r = len(s)
        elif k == 26: s.remove(rv()); r = sorted(s, key=repr)
        elif k == 27: r = sorted(s & {rv(), rv()}, key=repr), sorted(s - {rv()}, key=repr), sorted(s ^ {rv(), rv()}, key=repr)
        elif k == 28:
            if len(s) > 15: s.clear()
            r = len(s), s <= s | {rv()}, s.isdisjoint([rv()])
        elif k < 31: b[sl()] = bytes([rnd() % 256 for _ in range(rnd() % 6)]); r = b
        elif k == 31: r = b.pop(ri())
        elif k == 32: del b[sl()]; r = b; b = b[:60]
        elif k == 33: t = (t + str(rv()))[-30:]; r = t[sl()]
        elif k == 34: r = t.split(str(rnd() % 10), rnd() % 4 - 1), t.rsplit(None, rnd() % 3), t.partition("'")
        elif k == 35: r = t.replace(str(rnd() % 5), "xy", rnd() % 4 - 1), t.find(str(rnd() % 9), ri(), ri()), t.count("1", ri(), ri())
        elif k == 36: r = "%5s|%-6r|%x" % (rv(), rv(), rnd() % 1000), f"{rnd() % 1000:>{rnd() % 9}d}"
        elif k == 37: r = range(ri(), ri(), rnd() % 7 - 3)[sl()]
        elif k == 38: x, y = rnd() ** (rnd() % 9), ri() ** (rnd() % 7) * rnd(); r = x * y, x - y, x // y, x % -y, x & y, x | -y, x ^ y, -x >> 7, y << 9
        else: r = tuple(l)[sl()], sum(x for x in l if isinstance(x, int)), max((len(str(x)) for x in l), default=0)
    except (IndexError, ValueError, KeyError, TypeError, ZeroDivisionError) as e:
        r = type(e).__name__ + ": " + str(e)
    crc = zlib.crc32(repr((n, k, r if not isinstance(r, set) else sorted(r, key=repr))).encode(), crc)
    if n % 200 == 199:
        print(n, crc)
