# Producer and consumer over queues, events, conditions, executors.
import queue
import threading
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor, as_completed

q = queue.Queue(maxsize=5)
results = []


def producer(n):
    for i in range(50):
        q.put((n, i))


def consumer():
    while True:
        item = q.get()
        if item is None:
            q.task_done()
            return
        results.append(item)
        q.task_done()


ps = [threading.Thread(target=producer, args=(i,)) for i in range(3)]
cs = [threading.Thread(target=consumer) for _ in range(2)]
for t in ps + cs:
    t.start()
for t in ps:
    t.join()
for _ in cs:
    q.put(None)
for t in cs:
    t.join()
q.join()
print(len(results), sorted(results) == [(n, i) for n in range(3) for i in range(50)], q.qsize(), q.empty())
try:
    q.get_nowait()
except queue.Empty:
    print("empty")
try:
    q.get(timeout=0.01)
except queue.Empty:
    print("timed out")
small = queue.Queue(1)
small.put(1)
try:
    small.put_nowait(2)
except queue.Full:
    print("full", small.full())
e = threading.Event()
print(e.wait(0.01), e.is_set())
order = []


def waiter():
    e.wait()
    order.append("woken")


t = threading.Thread(target=waiter)
t.start()
order.append("set")
e.set()
t.join()
print(order, e.wait(5))
cond = threading.Condition()
items = deque()
got = []


def cond_consumer():
    for _ in range(20):
        with cond:
            while not items:
                cond.wait()
            got.append(items.popleft())


t = threading.Thread(target=cond_consumer)
t.start()
for i in range(20):
    with cond:
        items.append(i)
        cond.notify()
t.join()
print(got == list(range(20)))
with cond:
    print(cond.wait_for(lambda: True), cond.wait(0.01))
sem = threading.Semaphore(2)
inside, peak = [0], [0]
guard = threading.Lock()


def limited():
    with sem:
        with guard:
            inside[0] += 1
            peak[0] = max(peak[0], inside[0])
        time.sleep(0.002)
        with guard:
            inside[0] -= 1


ts = [threading.Thread(target=limited) for _ in range(6)]
for t in ts:
    t.start()
for t in ts:
    t.join()
print(peak[0] <= 2, inside)
b = threading.Barrier(3)
indices = []
ts = [threading.Thread(target=lambda: indices.append(b.wait())) for _ in range(3)]
for t in ts:
    t.start()
for t in ts:
    t.join()
print(sorted(indices), b.parties, b.broken)
b2 = threading.Barrier(2)
try:
    b2.wait(0.01)
except threading.BrokenBarrierError:
    print("broken", b2.broken)
with ThreadPoolExecutor(max_workers=3) as ex:
    futures = [ex.submit(pow, 2, n) for n in range(10)]
    print([f.result() for f in futures], list(ex.map(lambda a, b: a * b, [1, 2, 3], [4, 5, 6])))
    bad = ex.submit(lambda: 1 / 0)
    try:
        bad.result()
    except ZeroDivisionError as err:
        print("future raised", err, type(bad.exception()).__name__, bad.done())
    print(sorted(f.result() for f in as_completed([ex.submit(abs, -n) for n in range(4)])))
    cb = []
    f = ex.submit(lambda: "value")
    f.add_done_callback(lambda fut: cb.append(fut.result()))
    f.result()
print(cb)
try:
    ex.submit(print)
except RuntimeError as err:
    print(err)
lock = threading.Lock()
print(lock.acquire(), lock.acquire(False), lock.acquire(timeout=0.01), lock.locked())
lock.release()
try:
    lock.release()
except RuntimeError as err:
    print(err)
rl = threading.RLock()
rl.acquire()
rl.acquire()
out = []
t = threading.Thread(target=lambda: out.append(rl.acquire(False)))
t.start()
t.join()
rl.release()
rl.release()
print(out)
timer = []
th = threading.Thread(target=lambda: timer.append(1), daemon=True)
print(th.daemon, th.is_alive(), th.ident)
th.start()
th.join(5)
print(timer, th.is_alive(), isinstance(th.ident, int))
try:
    th.start()
except RuntimeError as err:
    print(err)
try:
    threading.current_thread().join()
except RuntimeError as err:
    print(err)
