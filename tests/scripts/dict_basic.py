# Dicts.
d = {"a": 1, "b": 2, 3: "c"}
print(d, len(d), d["a"], d.get("x"), d.get("x", 0), d.get("a"), "a" in d, 2 in d, list(d), list(d.keys()), list(d.values()), list(d.items()))
d["z"] = 26
d["a"] = 100
del d["b"]
print(d, d.pop("z"), d.pop("q", None), d.setdefault("a", 5), d.setdefault("n", []), d)
d["n"].append(1)
d.update({"a": 1, "k": 2})
d.update([("l", 3)], m=4)
d.update(o=5)
print(d, d.popitem(), d)
e = d.copy()
e.clear()
print(e, bool(e), bool(d), dict(a=1, b=2), dict([("x", 1), ["y", 2]]), dict({"a": 1}, b=2), dict(), dict(zip("ab", [1, 2])), dict.fromkeys("ab"), dict.fromkeys([1, 2], 0))
print({"a": 1} == {"a": 1.0}, {"a": 1, "b": 2} == {"b": 2, "a": 1}, {"a": 1} != {"a": 2}, {1: "a", 1.0: "b", True: "c"}, {**{"a": 1}, **{"b": 2}}, {"a": 1} | {"b": 2, "a": 3})
f = {"x": 1}
f |= {"y": 2}
f |= [("z", 3)]
print(f, list(reversed(f)), list(reversed(f.items())), sorted(f), max(f), min(f.values()), sum(f.values()))
k, v, i = f.keys(), f.values(), f.items()
f["w"] = 0
print(k, v, i, len(k), "w" in k, ("w", 0) in i, 0 in v, k == {"x", "y", "z", "w"}, k & {"x", "q"}, sorted(k | {"q"}), sorted(k - {"x"}), sorted(k ^ {"x", "q"}), k <= {"x", "y", "z", "w", "v"}, k.isdisjoint({"q"}))
for key in f:
    print(key, end=" ")
for key, value in f.items():
    print(key, value, end=";")
print()
print({n: n * n for n in range(4)}, {k: v for v, k in enumerate("abc")}, {k: v for k, v in f.items() if v > 1})
n = {"a": {"b": {"c": 1}}}
n["a"]["b"]["d"] = 2
print(n, n["a"]["b"]["c"], "b" in n["a"])
s = {}
s["self"] = s
print(s)
for bad in (lambda: d["nope"], lambda: d[()], lambda: d.pop("nope"), lambda: {}.popitem(), lambda: {[]: 1}, lambda: d[[]], lambda: dict(5), lambda: dict([1]), lambda: dict([(1, 2, 3)]), lambda: {} < {}, lambda: {} + {},
            lambda: d.foo, lambda: hash({}), lambda: dict(1, 2), lambda: {}.update(5), lambda: {}.get(), lambda: d.keys()[0], lambda: {**5}):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)
try:
    del d["nope"]
except KeyError as e:
    print("KeyError", e, e.args)
for action in ("add", "del"):
    x = {i: i for i in range(5)}
    try:
        for key in x:
            if action == "add":
                x[key + 100] = 1
            else:
                del x[key]
    except RuntimeError as e:
        print(e)
x = {i: i for i in range(5)}
for key in x:
    x[key] = -key
for key in list(x):
    if key % 2:
        del x[key]
print(x)


class K:
    def __init__(self, n):
        self.n = n

    def __hash__(self):
        return self.n % 3

    def __eq__(self, other):
        return isinstance(other, K) and self.n == other.n

    def __repr__(self):
        return f"K{self.n}"


h = {K(i): i for i in range(10)}
print(h, h[K(7)], K(11) in h, len(h))
for i in range(0, 10, 2):
    del h[K(i)]
h[K(4)] = "back"
print(h)
big = {}
for i in range(20000):
    big[i * 7] = i
for i in range(0, 20000, 3):
    del big[i * 7]
print(len(big), big[7], 0 in big, sum(big.values()), sum(big))
big2 = dict(big)
print(big2 == big, len(big2))
c = {}
for ch in "mississippi":
    c[ch] = c.get(ch, 0) + 1
print(c, sorted(c, key=c.get), [x for x in c if c[x] == 4])
print(next(iter(c)), list(c.items())[0], {"a": 1}.__contains__("a"), {}.__len__(), {1: 2}.__getitem__(1), repr({"k": 'v"\''}), str({1: None}), {None: 1, (): 2, "": 3, 0: 4})


class D(dict):
    def __missing__(self, key):
        return f"no {key}"


m = D(a=1)
print(m["a"], m["b"], m.get("b"), m, len(m), isinstance(m, dict), dict(m))
