# Attributes of shared objects, class attributes and methods that change while others call them.
import threading
from worker_threads import together

N, M = 4, 2000


class Plain:
    pass


class Slotted:
    __slots__ = ("a", "b")


wrong = []
for cls in (Plain, Slotted):
    o = cls()
    o.a = (0, 0)
    stop = threading.Event()

    def writer():
        for j in range(M):
            o.a = (j, -j)
        stop.set()

    def reader():
        while not stop.is_set():
            x, y = o.a
            if x != -y:
                wrong.append((x, y))

    together(writer, reader, reader)
    stop = threading.Event()

    def flicker():
        for j in range(M):
            o.b = j
            del o.b
        stop.set()

    def looker():
        while not stop.is_set():
            v = getattr(o, "b", None)
            if v is not None and not 0 <= v < M:
                wrong.append(v)
            if hasattr(o, "c"):
                wrong.append("c")
            if o.a != (M - 1, 1 - M):
                wrong.append(o.a)

    together(flicker, looker, looker)
print(wrong)

# Many attributes, added by many threads to one object.
o = Plain()
together(*[lambda i=i: [setattr(o, "x%d_%d" % (i, j), j) for j in range(200)] for i in range(N)])
print(len(vars(o)), all(getattr(o, "x%d_%d" % (i, j)) == j for i in range(N) for j in range(200)))


# A method that is replaced: every call gets the old one or a new one.
class Base:
    def answer(self):
        return 0

    @property
    def prop(self):
        return ("base", 1)


class Derived(Base):
    pass


d = Derived()
stop = threading.Event()
answers = set()


def replace():
    for j in range(400):
        Base.answer = lambda self, j=j: j
        Derived.answer = lambda self, j=j: 1000 + j
        Derived.prop = property(lambda self, j=j: ("derived", j))
        del Derived.answer
        del Derived.prop
    stop.set()


def call():
    while not stop.is_set():
        a = d.answer()
        if not (0 <= a < 400 or 1000 <= a < 1400):
            wrong.append(a)
        p, q = d.prop
        if p not in ("base", "derived"):
            wrong.append(p)


together(replace, call, call)
print(wrong, d.answer(), d.prop)

# Class attributes as shared counters are not atomic, but a lock makes them so; globals too.
class Counter:
    n = 0
    lock = threading.Lock()


total = 0


def count():
    global total
    for j in range(M):
        with Counter.lock:
            Counter.n += 1
            total += 1


together(*[count] * N)
print(Counter.n, total)

# __class__ of an object that is being used, __dict__ replaced.
class A:
    def name(self):
        return "A"


class B:
    def name(self):
        return "B"


o = A()
stop = threading.Event()
names = set()


def turn():
    for j in range(M):
        o.__class__ = B if j % 2 else A
    stop.set()


def ask():
    while not stop.is_set():
        names.add(o.name())


together(turn, ask, ask)
print(names <= {"A", "B"}, type(o).__name__)

# Subclasses made and dropped by many threads.
def make_classes():
    for j in range(60):
        K = type("K%d" % j, (Base,), {"answer": lambda self, j=j: j})
        if K().answer() != j or not isinstance(K(), Base):
            wrong.append(j)


together(*[make_classes] * N)
print(wrong)
