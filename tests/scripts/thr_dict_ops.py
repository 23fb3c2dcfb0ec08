# Single operations on a shared dict are atomic; readers see whole values while it grows and shrinks.
import threading
from worker_threads import together

N, M = 4, 1500


# setdefault has one winner, who everybody sees.
shared = {}
got = [[] for _ in range(N)]


def settler(i):
    def body():
        for j in range(M):
            got[i].append(shared.setdefault(j, (i, j)))
    return body


together(*[settler(i) for i in range(N)])
print(len(shared), all(g == [shared[j] for j in range(M)] for g in got))

# pop: each key once.
popped = [[] for _ in range(N)]


def popper(i):
    def body():
        for j in range(M):
            v = shared.pop(j, None)
            if v is not None:
                popped[i].append(j)
    return body


together(*[popper(i) for i in range(N)])
print(sorted(x for p in popped for x in p) == list(range(M)), shared)

# popitem: each item once, until it is empty.
shared = {j: str(j) for j in range(M)}
popped = [[] for _ in range(N)]


def drain(i):
    def body():
        while True:
            try:
                popped[i].append(shared.popitem())
            except KeyError:
                return
    return body


together(*[drain(i) for i in range(N)])
print(sorted(x for p in popped for x in p) == [(j, str(j)) for j in range(M)])

# Readers beside a writer that makes the table grow and shrink.
shared = {"fixed": 1}
stop = threading.Event()
wrong = []


def churn():
    for j in range(6):
        for k in range(2000):
            shared[k] = -k
        for k in range(2000):
            del shared[k]
    stop.set()


def look():
    while not stop.is_set():
        if shared["fixed"] != 1 or "fixed" not in shared or "absent" in shared:
            wrong.append("fixed")
        v = shared.get(77)
        if v not in (None, -77):
            wrong.append(v)
        copy = shared.copy()
        if any(k != "fixed" and v != -k for k, v in copy.items()):
            wrong.append("copy")
        try:
            for k in shared:
                pass
        except RuntimeError as e:
            if str(e) != "dictionary changed size during iteration" and str(e) != "dictionary keys changed during iteration":
                wrong.append(str(e))
        for k, v in list(shared.items()):
            if k != "fixed" and v != -k:
                wrong.append((k, v))


together(churn, look, look)
print(wrong, shared)

# update and | with a shared argument; two threads that write different keys of one table.
source = {i: i for i in range(50)}
shared = {}


def updater(i):
    def body():
        for j in range(100):
            shared.update({(i, k): j for k in range(20)})
            shared.update(source)
    return body


together(*[updater(i) for i in range(N)])
print(len(shared), all(shared[(i, k)] == 99 for i in range(N) for k in range(20)), all(shared[k] == k for k in source))

# Values that are replaced die once, whoever looks.
class V:
    made = died = 0
    lock = threading.Lock()

    def __init__(self, n):
        self.n = n
        with V.lock:
            V.made += 1

    def __del__(self):
        dead.append(1)


dead = []
shared = {"k": V(0)}
stop = threading.Event()


def replace():
    for j in range(M):
        shared["k"] = V(j)
    stop.set()


def use():
    while not stop.is_set():
        v = shared["k"]
        if v.n < 0 or v.n >= M:
            wrong.append(v.n)
        del v


together(replace, use, use)
shared.clear()
import gc
gc.collect()
print(wrong, V.made, len(dead))

# Keys with a Python __hash__ and __eq__, looked up while others insert equal ones.
class Key:
    def __init__(self, n):
        self.n = n

    def __hash__(self):
        return self.n % 7

    def __eq__(self, other):
        return self.n == other.n


shared = {}


def by_key(i):
    def body():
        for j in range(60):
            shared[Key(j)] = i
            if Key(j) not in shared:
                wrong.append(j)
    return body


together(*[by_key(i) for i in range(N)])
print(wrong, len(shared), sorted(k.n for k in shared) == list(range(60)))
