# Single operations on shared sets and deques are atomic.
import threading
from collections import deque
from worker_threads import together

N, M = 4, 1500


shared = set()
together(*[lambda i=i: [shared.add(j * (i + 1)) for j in range(M)] for i in range(N)])
print(shared == {j * (i + 1) for i in range(N) for j in range(M)})
taken = [[] for _ in range(N)]


def taker(i):
    def body():
        while True:
            try:
                taken[i].append(shared.pop())
            except KeyError:
                return
    return body


size = len(shared)
together(*[taker(i) for i in range(N)])
print(sum(map(len, taken)) == size == len({x for t in taken for x in t}), shared)

shared = set(range(100))
stop = threading.Event()
wrong = []


def change():
    for j in range(300):
        shared.update(range(100, 200))
        shared.difference_update(range(100, 200))
        shared.symmetric_difference_update({500})
    stop.set()


def look():
    while not stop.is_set():
        if 5 not in shared or 1000 in shared:
            wrong.append("in")
        copy = frozenset(shared)
        if not copy >= set(range(100)) or copy - set(range(200)) - {500}:
            wrong.append("copy")
        if len(shared | {1, 2}) < 100 or not shared.isdisjoint([-1]) or not set(range(100)).issubset(shared):
            wrong.append("operation")


together(change, look, look)
print(wrong, len(shared))

# A deque as a queue between threads, at both ends.
d = deque()
taken = [[] for _ in range(N)]
made = threading.Event()


def feed():
    for j in range(M * 2):
        d.append(j) if j % 3 else d.appendleft(j)
    made.set()


def eat(i):
    def body():
        while True:
            done = made.is_set()
            try:
                taken[i].append(d.popleft() if i % 2 else d.pop())
            except IndexError:
                if done:
                    return
    return body


together(feed, *[eat(i) for i in range(N)])
print(sorted(x for t in taken for x in t) == list(range(M * 2)), len(d))

# One end only and one consumer: the order stays.
d = deque()
out = []
made = threading.Event()


def feed_right():
    for j in range(M):
        d.append(j)
    made.set()


def eat_left():
    while True:
        done = made.is_set()
        try:
            out.append(d.popleft())
        except IndexError:
            if done:
                return


together(feed_right, eat_left)
print(out == list(range(M)))

# maxlen holds whoever appends; rotation and copies keep the items together.
d = deque(maxlen=10)
lengths = set()


def push(i):
    def body():
        for j in range(M):
            d.append((i, j)) if j % 2 else d.appendleft((i, j))
            lengths.add(len(d) <= 10)
    return body


together(*[push(i) for i in range(N)])
print(lengths, len(d))
d = deque(range(10))
stop = threading.Event()


def rotate():
    for j in range(M):
        d.rotate(j % 5 - 2)
        d.reverse()
    stop.set()


def copies():
    while not stop.is_set():
        if sorted(d.copy()) != list(range(10)):
            wrong.append("deque")


together(rotate, copies)
print(wrong, sorted(d))
