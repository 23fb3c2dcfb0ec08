# Threads on shared containers: per-call atomicity, nothing lost, nothing invented.
import threading

N, M = 4, 2000


def run(worker, n=N):
    barrier = threading.Barrier(n)

    def body(i):
        barrier.wait()
        worker(i)
    threads = [threading.Thread(target=body, args=(i,)) for i in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


shared = []
run(lambda i: [shared.append((i, j)) for j in range(M)])
print(len(shared), len(set(shared)), all([j for k, j in shared if k == i] == list(range(M)) for i in range(N)))
popped = [[] for _ in range(N)]
items = list(range(N * M))


def popper(i):
    while True:
        try:
            popped[i].append(items.pop())
        except IndexError:
            return


run(popper)
print(sorted(x for p in popped for x in p) == list(range(N * M)), items)
d = {}
run(lambda i: [d.__setitem__((i, j), i * j) for j in range(M)])
print(len(d), sum(d.values()) == sum(i * j for i in range(N) for j in range(M)))
winners = {}
got = [[] for _ in range(N)]
run(lambda i: [got[i].append(winners.setdefault(j, (i, j))) for j in range(M)])
print(len(winners), all(got[i][j] is winners[j] for i in range(N) for j in range(M)))
s = set()
run(lambda i: [s.add(j) for j in range(M)])
print(len(s), sum(s) == sum(range(M)))
run(lambda i: [s.discard(j) for j in range(i, M, N)])
print(len(s))


class C:
    pass


o = C()
o.v = 0
bad = []


def attr_worker(i):
    for j in range(M):
        if i % 2:
            o.v = (i, j)
        else:
            v = o.v
            if v != 0 and not (isinstance(v, tuple) and v[0] % 2 == 1):
                bad.append(v)


run(attr_worker)
print(bad)
grow = []
bad = []


def grower(i):
    if i == 0:
        for j in range(M * 5):
            grow.append(j)
    else:
        for _ in range(200):
            snap = grow[:]
            if snap != list(range(len(snap))):
                bad.append(len(snap))
            n = len(grow)
            if n and grow[n - 1] != n - 1:
                bad.append(n)


run(grower)
print(bad, len(grow))
lock = threading.Lock()
count = [0]


def locked(i):
    for _ in range(M):
        with lock:
            count[0] += 1


run(locked)
print(count[0] == N * M)
rl = threading.RLock()
depth = [0]


def reentrant(i):
    for _ in range(200):
        with rl:
            with rl:
                depth[0] += 1


run(reentrant)
print(depth[0])
total = [0] * N


def local_work(i):
    acc = 0
    for j in range(20000):
        acc += j % 7
    total[i] = acc


run(local_work)
print(len(set(total)), total[0])
it = iter(list(range(N * M)))
taken = [[] for _ in range(N)]
run(lambda i: [taken[i].append(x) for x in it])
flat = [x for t in taken for x in t]
print(set(flat) <= set(range(N * M)), len(flat) > 0)
local = threading.local()
seen = []


def use_local(i):
    local.v = i
    for _ in range(100):
        if local.v != i:
            seen.append((i, local.v))


run(use_local)
print(seen, hasattr(local, "v"))


def raiser():
    raise ValueError("in thread")


hook, threading.excepthook = threading.excepthook, lambda args: print("hook", args.exc_type.__name__, args.exc_value)
t = threading.Thread(target=raiser)
t.start()
t.join()
threading.excepthook = hook
print(t.is_alive(), threading.active_count(), threading.current_thread() is threading.main_thread())


class MyThread(threading.Thread):
    def __init__(self):
        super().__init__(name="mine")
        self.result = None

    def run(self):
        self.result = self.name + " ran"


m = MyThread()
m.start()
m.join()
print(m.result, m.name)
