# dict: order, methods, views, subclass hooks, iteration errors, odd keys.
d = {"a": 1, "b": 2}
d["c"] = 3; d["a"] = 10
print(d, len(d), d["a"], d.get("x"), d.get("x", 5), "a" in d, "x" not in d, list(d), d.keys(), d.values(), d.items())
print(d.pop("a"), d.pop("zz", None), d.setdefault("n", []), d.setdefault("b", 9), d, d.popitem(), d)
d.update({"x": 1}, y=2); d.update([("p", 1), ["q", 2]]); print(d)
del d["x"]; print(d, d == {"b": 2, "c": 3, "y": 2, "p": 1, "q": 2}, {1: 2} != {1: 3}, {} == {})
d["b"] = d.pop("b"); print(list(d))
print(dict(a=1), dict([(1, 2)]), dict({1: 2}, b=3), dict(zip("ab", [1, 2])), dict.fromkeys("ab"), dict.fromkeys([1, 2], 0), {i: i * i for i in range(4)}, dict())
print({1: "a"} | {2: "b"}, {**{1: 2}, 3: 4}, {1: 1, 1.0: 2, True: 3})
e = {1: 1}; e |= {2: 2}; e |= [(3, 3)]; print(e)
k = {"a": 1, "b": 2}.keys()
print(sorted(k & {"a", "z"}), sorted(k | {"z"}), sorted(k - {"a"}), sorted(k ^ {"a", "z"}), k == {"a", "b"}, k <= {"a", "b", "c"}, k < {"a", "b"}, k >= {"a"}, k.isdisjoint(["q"]), ("a", 1) in {"a": 1}.items(), 1 in {"a": 1}.values(), len(k))
print(list(reversed({"a": 1, "b": 2})), list(reversed({"a": 1, "b": 2}.items())), sorted({"b": 1, "a": 2}.items()))
r = {}; r["self"] = r; print(r, repr(r))
for f in (lambda: {}["x"], lambda: {}.pop("x"), lambda: {}.popitem(), lambda: {[]: 1}, lambda: {}[[]], lambda: dict(5), lambda: dict([1]), lambda: dict([(1, 2, 3)]), lambda: {} < {}, lambda: hash({}), lambda: [] in {}, lambda: {1: 2} | 5):
    try:
        print(f())
    except Exception as err:
        print(type(err).__name__, err)
try:
    for key in e:
        e[key + 100] = 1
except RuntimeError as err:
    print(err)
try:
    for key in list(e):
        del e[key]
    print(e)
    e = {1: 1, 2: 2, 3: 3}
    for key in e:
        del e[key]
except RuntimeError as err:
    print(err)
try:
    e = {1: 1, 2: 2}
    n = 0
    for key in e:
        del e[key]
        e[key + 10] = 1
        n += 1
        if n > 50:
            break
    print("no error", n)
except RuntimeError as err:
    print(err)


class D(dict):
    def __missing__(self, key):
        self[key] = key * 2
        return self[key]


m = D(a=1); print(m["zz"], m, m.get("q"), type(m).__name__, type(m.copy()).__name__, m == {"a": 1, "zz": "zzzz"})


class K:
    def __init__(self, v):
        self.v = v

    def __hash__(self):
        return self.v % 3

    def __eq__(self, o):
        return isinstance(o, K) and self.v == o.v

    def __repr__(self):
        return "K%d" % self.v


t = {K(i): i for i in range(20)}
print(len(t), all(t[K(i)] == i for i in range(20)), K(99) in t, t.pop(K(5)), len(t), K(5) in t, [k.v for k in t][:8])


class Evil:
    def __init__(self, d):
        self.d = d

    def __hash__(self):
        return 1

    def __eq__(self, o):
        self.d.clear()
        return False


h = {}
h[Evil(h)] = 1
h[Evil(h)] = 2
print(len(h))


class Boom:
    def __hash__(self):
        return 7

    def __eq__(self, o):
        raise ValueError("boom")


h = {Boom(): 1}
try:
    h[Boom()]
except ValueError as err:
    print("ValueError", err)
big = {}
for i in range(5000):
    big[i] = str(i)
for i in range(0, 5000, 3):
    del big[i]
for i in range(5000, 6000):
    big[i] = str(i)
print(len(big), sum(big), list(big)[:6], list(big)[-3:], all(big[i] == str(i) for i in big))
while big:
    big.popitem()
print(big, len(big))
q = {}
for i in range(3000):
    q[i] = i
    if i >= 10:
        del q[i - 10]
print(list(q))
tk = {(1, 2): "t", (1, (2, 3)): "n", frozenset([1]): "f", None: 0, 1.5: "fl", b"x": "by", "é日": "u"}
print(tk[(1, 2)], tk[(1, (2, 3))], tk[frozenset([1])], tk[None], tk[1.5], tk[b"x"], tk["é日"])
i1 = iter({"a": 1}.items()); print(next(i1), next(i1, "end"), next(i1, "end"))
n = {}
for i in range(100000):
    n = {"k": n}
del n
print("done")
