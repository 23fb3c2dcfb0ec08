# Locks, conditions, semaphores, barriers and events doing their work.
import queue
import threading
import time
from collections import deque
from worker_threads import join, start

N = 4


# A bounded buffer with two conditions on one lock.
class Buffer:
    def __init__(self, size):
        self.items = deque()
        self.size = size
        self.lock = threading.Lock()
        self.not_empty = threading.Condition(self.lock)
        self.not_full = threading.Condition(self.lock)
        self.most = 0

    def put(self, v):
        with self.not_full:
            self.not_full.wait_for(lambda: len(self.items) < self.size)
            self.items.append(v)
            self.most = max(self.most, len(self.items))
            self.not_empty.notify()

    def get(self):
        with self.not_empty:
            while not self.items:
                self.not_empty.wait()
            v = self.items.popleft()
            self.not_full.notify()
            return v


b = Buffer(5)
out = [[] for _ in range(N)]
producers = start(*[lambda i=i: [b.put((i, j)) for j in range(200)] for i in range(N)])
consumers = start(*[lambda i=i: [out[i].append(b.get()) for j in range(200)] for i in range(N)])
join(producers + consumers)
every = sorted(x for o in out for x in o)
print(every == [(i, j) for i in range(N) for j in range(200)], b.most <= 5, len(b.items))

# Readers and a writer.
class RW:
    def __init__(self):
        self.cond = threading.Condition()
        self.readers = 0
        self.writing = False

    def read(self, f):
        with self.cond:
            self.cond.wait_for(lambda: not self.writing)
            self.readers += 1
        f(self)
        with self.cond:
            self.readers -= 1
            self.cond.notify_all()

    def write(self, f):
        with self.cond:
            self.cond.wait_for(lambda: not self.writing and self.readers == 0)
            self.writing = True
        f(self)
        with self.cond:
            self.writing = False
            self.cond.notify_all()


rw = RW()
pair = [0, 0]
wrong = []


def writes():
    for j in range(100):
        def change(_):
            pair[0] += 1
            pair[1] -= 1
        rw.write(change)


def reads():
    for j in range(100):
        rw.read(lambda _: pair[0] + pair[1] == 0 or wrong.append(tuple(pair)))


join(start(writes, writes, reads, reads))
print(pair, wrong)

# Barrier: rounds stay together, the action runs once a round.
rounds = []
log = []
barrier = threading.Barrier(N, action=lambda: rounds.append(len(log)))


def walker(i):
    for r in range(20):
        log.append((r, i))
        barrier.wait()
        barrier.wait()


join(start(*[lambda i=i: walker(i) for i in range(N)]))
print([r for r, i in log] == sorted(r for r, i in log), len(rounds), rounds[0], rounds[-1])
broken = threading.Barrier(2)
t = start(lambda: log.append("aborting") or broken.abort())
try:
    broken.wait()
except threading.BrokenBarrierError:
    print("broken", broken.broken)
join(t)

# Semaphores bound what runs at once.
sem = threading.BoundedSemaphore(2)
inside = most = 0
guard = threading.Lock()


def limited():
    global inside, most
    for j in range(50):
        with sem:
            with guard:
                inside += 1
                most = max(most, inside)
            with guard:
                inside -= 1


join(start(*[limited] * N))
print(most <= 2, inside)
try:
    sem.release()
except ValueError as e:
    print(e)

# RLock: by its owner again and again; nobody else.
r = threading.RLock()
depth = []


def recurse(n):
    with r:
        depth.append(n)
        if n:
            recurse(n - 1)


join(start(*[lambda: recurse(5)] * N))
print([depth[i:i + 6] == [5, 4, 3, 2, 1, 0] for i in range(0, len(depth), 6)])
r.acquire()
r.acquire()
print(start(lambda: depth.append(r.acquire(blocking=False)))[0].join(), depth[-1])
r.release()
r.release()
try:
    r.release()
except RuntimeError as e:
    print(e)

# Timeouts say so.
lock = threading.Lock()
print(lock.acquire(), lock.acquire(False), lock.acquire(timeout=0.01), lock.locked())
lock.release()
print(threading.Event().wait(0.01), threading.Condition().acquire(), threading.Semaphore(0).acquire(timeout=0.01))
q = queue.Queue(1)
try:
    q.get(timeout=0.01)
except queue.Empty:
    print("empty")
q.put(1)
try:
    q.put(2, timeout=0.01)
except queue.Full:
    print("full")

# Dining philosophers, forks in order.
forks = [threading.Lock() for _ in range(5)]
meals = [0] * 5


def philosopher(i):
    first, second = sorted((i, (i + 1) % 5))
    for j in range(100):
        with forks[first], forks[second]:
            meals[i] += 1


join(start(*[lambda i=i: philosopher(i) for i in range(5)]))
print(meals)

# Daemon or not, names, enumeration, current thread, native ids differ.
idents = []
threads = [threading.Thread(target=lambda: idents.append(threading.get_ident()), name="worker-%d" % i) for i in range(3)]
for t in threads:
    t.start()
    t.join()
print([t.name for t in threads], [t.is_alive() for t in threads], threading.current_thread() is threading.main_thread(), threading.active_count())
local = threading.local()
local.v = "main"


def own(i):
    assert not hasattr(local, "v")
    local.v = i
    time.sleep(0)
    assert local.v == i


join(start(*[lambda i=i: own(i) for i in range(N)]))
print(local.v)
