# Lists, dicts and sets shared between threads: every single operation is atomic, readers take no lock.
import threading

N = 6
ROUNDS = 2000


def run(fn, n=N):
    barrier = threading.Barrier(n)
    errors = []

    def body(i):
        barrier.wait()
        try:
            fn(i)
        except Exception as e:
            errors.append(repr(e))

    threads = [threading.Thread(target=body, args=(i,)) for i in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return errors


# append: nothing is lost
l = []
print(run(lambda i: [l.append((i, k)) for k in range(ROUNDS)]), len(l), len(set(l)))

# pop: each item once
got = [[] for _ in range(N)]


def popper(i):
    try:
        while True:
            got[i].append(l.pop())
    except IndexError:
        pass


print(run(popper), len(l), sum(len(g) for g in got), len(set(x for g in got for x in g)))

# readers against growth, shrinking and clearing: never a torn value
l = list(range(100))
stop = []


def churn(i):
    if i == 0:
        for k in range(400):
            l.extend(range(100))
            del l[100:]
            l.insert(0, 5)
            l.pop(0)
            l[10:20] = [7] * 10
            if k % 50 == 0:
                l.clear()
                l.extend(range(100))
        stop.append(1)
    else:
        while not stop:
            for v in l:
                if not (isinstance(v, int) and 0 <= v < 100):
                    raise ValueError(v)
            c = l[:]
            for v in c:
                if not 0 <= v < 100:
                    raise ValueError(v)
            try:
                l[50]
            except IndexError:
                pass


print(run(churn))

# fresh objects in slots: readers get a whole object
slots = [str(i) for i in range(50)]
stop = []


def replace(i):
    if i < 2:
        for k in range(6000):
            slots[k % 50] = "v" + str(k)
        stop.append(1)
    else:
        while len(stop) < 2:
            for k in range(50):
                s = slots[k]
                if not (s[0] == "v" or s.isdigit()):
                    raise ValueError(s)
            "".join(slots)


print(run(replace))

# dict: own keys per thread, all there afterwards; readers of a shared key
d = {"shared": 0}


def writer(i):
    for k in range(ROUNDS):
        d[(i, k)] = k
        d["shared"] = k
        if not 0 <= d["shared"] < ROUNDS:
            raise ValueError
        if k % 3 == 0:
            del d[(i, k)]


print(run(writer), len(d), sum(1 for i in range(N) for k in range(ROUNDS) if (i, k) in d))

# setdefault: one winner
d = {}
won = [[] for _ in range(N)]


def default(i):
    for k in range(ROUNDS):
        won[i].append(d.setdefault(k, (i, k)))


print(run(default), all(won[i] == won[0] for i in range(N)), len(d))

# pop of dict keys: once each
d = {k: k for k in range(ROUNDS)}
counts = [0] * N


def pop_keys(i):
    for k in range(ROUNDS):
        if d.pop(k, None) is not None:
            counts[i] += 1


print(run(pop_keys), sum(counts), d)

# values replaced while read
d = {k: ["x", "x"] for k in range(20)}
stop = []


def values(i):
    if i == 0:
        for k in range(8000):
            d[k % 20] = [k, k]
        stop.append(1)
    else:
        while not stop:
            for k in range(20):
                a, b = d[k]
                if a != b:
                    raise ValueError((a, b))
            try:
                for a, b in d.values():
                    if a != b:
                        raise ValueError
            except RuntimeError:
                pass
            d.copy()
            len(list(d.items()))


print(run(values))

# clear against get and update
d = {}
stop = []


def clearing(i):
    if i == 0:
        for k in range(500):
            d.update((j, j) for j in range(30))
            d.clear()
        stop.append(1)
    else:
        while not stop:
            for k in range(30):
                v = d.get(k)
                if v is not None and v != k:
                    raise ValueError((k, v))


print(run(clearing))

# set
s = set()


def adder(i):
    for k in range(ROUNDS):
        s.add(k * N + i)
        s.add(k)
        if k not in s:
            raise ValueError(k)


print(run(adder), len(s) == len(set(range(ROUNDS)) | set(k * N + i for k in range(ROUNDS) for i in range(N))))
taken = [[] for _ in range(N)]
total = len(s)


def taker(i):
    try:
        while True:
            taken[i].append(s.pop())
    except KeyError:
        pass


print(run(taker), len(s), len(set(x for t in taken for x in t)) == total == sum(len(t) for t in taken))

# shared iterators: no invented values
data = list(range(3000))
it = iter(data)
seen = [[] for _ in range(N)]


def consume(i):
    for v in it:
        seen[i].append(v)


print(run(consume), set(x for t in seen for x in t) <= set(data))
e = enumerate([10] * 1000)
pairs = [[] for _ in range(N)]
print(run(lambda i: pairs[i].extend(e)), all(v == 10 and n >= 0 for p in pairs for n, v in p))
b = bytearray(b"x" * 100)


def buffers(i):
    for k in range(500):
        m = memoryview(b)
        if len(m[10:20].tobytes()) != 10:
            raise ValueError
        m.release()
        b[i] = k % 256


print(run(buffers), len(b))
