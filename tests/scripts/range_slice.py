# range and slice objects.
for r in (range(5), range(2, 8), range(0, 10, 3), range(10, 0, -3), range(0), range(5, 2), range(-3, 3), range(0, -10, -4)):
    print(r, list(r), len(r), bool(r), r[0] if r else None, r[-1] if r else None, r[1:3], r[::-1], 2 in r, list(reversed(r)), r.start, r.stop, r.step, sum(r), r.count(2))
print(range(3) == range(0, 3, 1), range(0, 3, 2) == range(0, 4, 2), range(0) == range(5, 5), hash(range(3)) == hash(range(0, 3)), range(3) != [0, 1, 2], range(10).index(7), 5.0 in range(10), "a" in range(3), True in range(3))
print(len(range(10 ** 15)), 10 ** 14 in range(10 ** 15), range(10 ** 15)[-1], range(10 ** 20)[10 ** 19], 10 ** 19 + 1 in range(0, 10 ** 20, 2), list(range(2 ** 63 - 1, 2 ** 63 + 2)), list(range(10 ** 20, 10 ** 20 + 3)), range(-(2 ** 64), 2 ** 64).start)
for bad in (lambda: range(1, 2, 0), lambda: range(1.5), lambda: range(), lambda: range("a"), lambda: range(3)[5], lambda: range(3).index(9), lambda: range(1, 2, 3, 4), lambda: range(3)["a"], lambda: range(3) + range(2), lambda: len(range(2 ** 64))):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)
s = slice(1, 10, 2)
print(s, s.start, s.stop, s.step, slice(5), slice(None), s == slice(1, 10, 2), s.indices(5), slice(None, None, -1).indices(4), slice(-3, None).indices(10), list(range(20))[s], "abcdefghijkl"[s], (1, 2, 3)[slice(0, 2)])


class S:
    def __getitem__(self, key):
        return key

    def __setitem__(self, key, value):
        print("set", key, value)

    def __delitem__(self, key):
        print("del", key)


x = S()
print(x[1], x[1:2], x[1:2:3], x[:], x[::], x[:, 1], x[1:2, ..., None], x[()], x["a"], x[-1:], x[*[1, 2]], x[1,])
x[1] = 2
x[1:2] = 3
x[::2, 1] = 4
del x[5], x[1:], x[1:2, 3]
x[0] += 1
l = list(range(10))
l[2:4] += [7, 7]
print(l)
l[::3] = [0, 0, 0, 0]
print(l, l[8:2:-2], l[-1:-4:-1], l[:-20:-1], l[20:], l[None:3])
for i in range(3):
    i = 10
print(i)
for i in range(0):
    pass
print(i)
