# del, augmented assignment, assignment targets and their order.
x = 1
del x
try:
    x
except NameError as e:
    print(e)
a, b, c = [1, 2, 3], {"k": 1, "l": 2}, {1, 2}
del a[0], b["k"]
print(a, b)
del (a[0])
del [b["l"]]
print(a, b)


class O:
    pass


o = O()
o.p, o.q = 1, 2
del o.p
print(vars(o))
n = list(range(10))
del n[2:5], n[-1]
del n[::2]
print(n)


def local():
    v = 1
    del v
    v = 2
    return v


print(local())
log = []


class T:
    def __init__(self, name):
        object.__setattr__(self, "name", name)

    def __getattr__(self, k):
        log.append(("get", self.name, k))
        return 10

    def __setattr__(self, k, v):
        log.append(("set", self.name, k, v))

    def __getitem__(self, k):
        log.append(("getitem", self.name, k))
        return 20

    def __setitem__(self, k, v):
        log.append(("setitem", self.name, k, v))

    def __delitem__(self, k):
        log.append(("delitem", self.name, k))

    def __delattr__(self, k):
        log.append(("delattr", self.name, k))


def e(v):
    log.append(("eval", v if not isinstance(v, T) else v.name))
    return v


t, u = T("t"), T("u")
e(t).x = e(u)[e(1)] = e(5)
e(t)[e("i")] += e(7)
e(t).attr -= e(3)
e(t)[e(1):e(2)] = e(9)
e(t)[e(1):e(2)] += e(1)
del e(t).gone, e(u)[e(4)]
e(t)[e(0)], e(u).y = e(1), e(2)
for row in log:
    print(row)
log.clear()
v = 5
v += 1; v -= 2; v *= 6; v //= 5; v **= 3; v %= 50; v <<= 2; v >>= 1; v |= 64; v &= 127; v ^= 1
print(v)
v /= 4
print(v)
s = "a"
s += "b"
s *= 3
l = l2 = [1]
l += (2, 3)
l *= 2
print(s, l, l is l2)
tup = ([],)
try:
    tup[0] += [1]
except TypeError as err:
    print(err, tup)
try:
    un += 1
except NameError as err:
    print(err)


def unbound_aug():
    w += 1


try:
    unbound_aug()
except UnboundLocalError as err:
    print(err)
i = 0
arr = [0, 0, 0]
i = arr[i] = 2
print(i, arr)
p, q = 1, 2
p, q = q, p + q
print(p, q)
p, q, r = q, p, 9
print(p, q, r)
(p), [q] = 1, [2]
print(p, q)
first, *mid, last = "hello"
print(first, mid, last)
*_, tail = range(5)
print(_, tail)
k: int = 5
z: "not evaluated at all"
print(k, __annotations__)


class Ann:
    a: int
    b: str = "x"


print(Ann.__annotations__, hasattr(Ann, "a"), Ann.b)


def fa():
    loc: undefined_name = 3
    return loc


print(fa())
d = {}
d["a"], d["b"], *d["rest"] = 1, 2, 3, 4
print(d)
o.list = [1, 2, 3]
o.list[1] += 10
o.list[-1], o.list[0] = o.list[0], o.list[-1]
print(o.list)
try:
    o.missing += 1
except AttributeError as err:
    print(err)
x = y = z = [0]
x[0] = 1
print(y, z, x is z)
