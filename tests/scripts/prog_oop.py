# Programs with class hierarchies: a task scheduler, a constraint network, an event system, a linked list and a B-tree.
class Packet:
    def __init__(self, link, ident, kind):
        self.link, self.ident, self.kind, self.datum, self.data = link, ident, kind, 0, [0] * 4

    def append_to(self, lst):
        self.link = None
        if lst is None:
            return self
        p = lst
        while p.link is not None:
            p = p.link
        p.link = self
        return lst


class Task:
    table = {}

    def __init__(self, name, priority):
        self.name, self.priority, self.runs = name, priority, 0
        Task.table[name] = self

    def run(self):
        raise NotImplementedError(self.name)

    def step(self):
        self.runs += 1
        return self.run()


class Idle(Task):
    def __init__(self, name, n):
        super().__init__(name, 0)
        self.left = n

    def run(self):
        self.left -= 1
        return self.left > 0


class Worker(Task):
    def __init__(self, name, work):
        super().__init__(name, 10)
        self.work = list(work)
        self.done = []

    def run(self):
        self.done.append(self.work.pop() * 2)
        return bool(self.work)


Idle("idle", 5)
Worker("w1", [1, 2, 3])
Worker("w2", "ab")
live = set(Task.table)
while live:
    for name in sorted(live, key=lambda n: (-Task.table[n].priority, n)):
        if not Task.table[name].step():
            live.discard(name)
print({n: t.runs for n, t in sorted(Task.table.items())}, Task.table["w1"].done, Task.table["w2"].done)
try:
    Task("abstract", 1).step()
except NotImplementedError as e:
    print("abstract:", e)
p = None
for i in range(3):
    p = Packet(None, i, "k").append_to(p)
ids = []
while p is not None:
    ids.append(p.ident)
    p = p.link
print(ids)


class Cell:
    def __init__(self, value=None):
        self._value, self.watchers = value, []

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, v):
        if v != self._value:
            self._value = v
            for w in self.watchers:
                w()


class Formula(Cell):
    def __init__(self, fn, *inputs):
        super().__init__()
        self.fn, self.inputs = fn, inputs
        for i in inputs:
            i.watchers.append(self.update)
        self.update()

    def update(self):
        self.value = self.fn(*(i.value for i in self.inputs))


a, b = Cell(1), Cell(2)
s = Formula(lambda x, y: x + y, a, b)
d = Formula(lambda x: x * 10, s)
log = []
d.watchers.append(lambda: log.append(d.value))
a.value = 5
b.value = 5
b.value = 5
print(s.value, d.value, log)


class Handlers:
    def __init__(self):
        self.by_name = {}

    def on(self, name):
        def register(fn):
            self.by_name.setdefault(name, []).append(fn)
            return fn
        return register

    def emit(self, name, *args, **kw):
        return [fn(*args, **kw) for fn in self.by_name.get(name, ())]


h = Handlers()


@h.on("greet")
def hello(who, punct="!"):
    return "hello " + who + punct


@h.on("greet")
def bye(who, **kw):
    return f"bye {who} {sorted(kw)}"


print(h.emit("greet", "ann"), h.emit("greet", "bob", punct="?"), h.emit("none"))


class Node:
    __slots__ = ("keys", "kids")

    def __init__(self, keys=None, kids=None):
        self.keys, self.kids = keys or [], kids or []


class BTree:
    T = 3

    def __init__(self):
        self.root, self.size = Node(), 0

    def __len__(self):
        return self.size

    def __contains__(self, key):
        n = self.root
        while True:
            i = self._find(n, key)
            if i < len(n.keys) and n.keys[i] == key:
                return True
            if not n.kids:
                return False
            n = n.kids[i]

    @staticmethod
    def _find(n, key):
        lo, hi = 0, len(n.keys)
        while lo < hi:
            mid = (lo + hi) // 2
            if n.keys[mid] < key:
                lo = mid + 1
            else:
                hi = mid
        return lo

    def add(self, key):
        if key in self:
            return
        if len(self.root.keys) == 2 * self.T - 1:
            self.root = Node(kids=[self.root])
            self._split(self.root, 0)
        n = self.root
        while n.kids:
            i = self._find(n, key)
            if len(n.kids[i].keys) == 2 * self.T - 1:
                self._split(n, i)
                if key > n.keys[i]:
                    i += 1
            n = n.kids[i]
        n.keys.insert(self._find(n, key), key)
        self.size += 1

    def _split(self, parent, i):
        t, kid = self.T, parent.kids[i]
        right = Node(kid.keys[t:], kid.kids[t:])
        parent.keys.insert(i, kid.keys[t - 1])
        parent.kids.insert(i + 1, right)
        del kid.keys[t - 1:], kid.kids[t:]

    def __iter__(self):
        def walk(n):
            for i, k in enumerate(n.keys):
                if n.kids:
                    yield from walk(n.kids[i])
                yield k
            if n.kids:
                yield from walk(n.kids[-1])
        return walk(self.root)


t = BTree()
x = 7
for _ in range(500):
    x = (x * 75 + 74) % 65537
    t.add(x % 1000)
keys = list(t)
print(len(t), keys == sorted(keys), keys[:5], 5000 in t, all(k in t for k in keys))


class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]

    def __matmul__(self, o):
        return Matrix([[sum(a * b for a, b in zip(r, c)) for c in zip(*o.rows)] for r in self.rows])

    def __getitem__(self, ij):
        i, j = ij
        return self.rows[i][j]

    def __setitem__(self, ij, v):
        i, j = ij
        self.rows[i][j] = v

    def __eq__(self, o):
        return self.rows == o.rows

    def __repr__(self):
        return "\n".join(" ".join(f"{v:4}" for v in r) for r in self.rows)


m = Matrix([[1, 2], [3, 4]])
m[0, 1] += 5
print(m @ m, m[0, 1], m == Matrix([[1, 7], [3, 4]]))


class Shape:
    registry = []

    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        Shape.registry.append(cls.__name__)

    def area(self):
        return 0

    def __lt__(self, o):
        return self.area() < o.area()


class Sq(Shape):
    def __init__(self, s):
        self.s = s

    def area(self):
        return self.s ** 2


class Circle(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return round(3.14159 * self.r ** 2, 2)


print(Shape.registry, [type(s).__name__ for s in sorted([Sq(3), Circle(1), Sq(1)])], min(Sq(2), Circle(5)).area())
