# Coroutines made on one thread and driven on others.
import gc
import threading
import weakref
from collections import deque


class Pause:
    def __await__(self):
        return (yield self)


async def count(n, log):
    total = 0
    for i in range(n):
        total += await Pause()
    log.append(total)
    return total


def drive_some(queue, steps):
    """Takes a coroutine, advances it, puts it back."""
    while True:
        try:
            coro = queue.popleft()
        except IndexError:
            return
        try:
            for _ in range(steps):
                coro.send(1)
        except StopIteration:
            continue
        queue.append(coro)


log = []
queue = deque()
for i in range(60):
    c = count(40, log)
    c.send(None)
    queue.append(c)
c = None
threads = [threading.Thread(target=drive_some, args=(queue, 1 + i % 3)) for i in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(len(log), set(log), len(queue))

# One coroutine, several threads: each step is given to one of them, the others are told.
steps = []
refused = []


async def slow():
    for i in range(300):
        steps.append(i)
        await Pause()


shared = slow()
start = threading.Barrier(4)


def push():
    start.wait()
    while True:
        try:
            shared.send(None)
        except ValueError as e:
            refused.append(str(e))
        except (StopIteration, RuntimeError) as e:
            return


threads = [threading.Thread(target=push) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(steps == list(range(300)), set(refused) <= {"coroutine already executing"})

# Dropped by another thread than the one that made and ran it; the finally block runs once.
closed = []


async def guarded(n):
    try:
        await Pause()
    finally:
        closed.append(n)


boxes = [[] for _ in range(50)]
for n, box in enumerate(boxes):
    c = guarded(n)
    c.send(None)
    box.append(c)
refs = [weakref.ref(box[0]) for box in boxes]
c = box = None
t = threading.Thread(target=lambda: [b.clear() for b in boxes])
t.start()
t.join()
gc.collect()
print(sorted(closed) == list(range(50)), [r() for r in refs] == [None] * 50)


# Cycles through coroutines of a thread that has ended.
class Owner:
    pass


def make(out):
    for i in range(30):
        o = Owner()
        o.coro = keeps(o)
        o.coro.send(None)
        out.append(weakref.ref(o))


async def keeps(owner):
    await Pause()


refs = []
t = threading.Thread(target=make, args=(refs,))
t.start()
t.join()
gc.collect()
print(len(refs), sum([r() is not None for r in refs]))
