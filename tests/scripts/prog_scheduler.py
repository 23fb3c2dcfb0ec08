# Tasks as generators on a scheduler: time without a clock, channels, joins, cancellation, nested calls; everything is freed.
import gc
import heapq
import weakref
from collections import deque

trace = []


class Cancelled(Exception):
    pass


class Task:
    made = 0

    def __init__(self, gen, name):
        Task.made += 1
        self.id, self.name, self.gen = Task.made, name, gen
        self.done, self.result, self.error, self.waiters, self.pending = False, None, None, [], None

    def __repr__(self):
        return "<%s>" % self.name


class Sleep:
    def __init__(self, n):
        self.n = n


class Join:
    def __init__(self, task):
        self.task = task


class Channel:
    def __init__(self, size=0):
        self.items, self.size, self.getters, self.putters = deque(), size, deque(), deque()

    def put(self, v):
        return ("put", self, v)

    def get(self):
        return ("get", self)


class Scheduler:
    def __init__(self):
        self.now, self.ready, self.timers, self.order = 0, deque(), [], 0

    def spawn(self, gen, name):
        t = Task(gen, name)
        self.ready.append((t, None))
        return t

    def cancel(self, task):
        if not task.done:
            task.pending = Cancelled(task.name)
            self.ready.append((task, None))

    def run(self):
        while self.ready or self.timers:
            if not self.ready:
                self.now, _, task = heapq.heappop(self.timers)
                self.ready.append((task, self.now))
            task, value = self.ready.popleft()
            if not task.done:
                self.step(task, value)

    def step(self, task, value):
        try:
            if task.pending is not None:
                error, task.pending = task.pending, None
                request = task.gen.throw(error)
            else:
                request = task.gen.send(value)
        except StopIteration as e:
            return self.finish(task, e.value, None)
        except Exception as e:
            return self.finish(task, None, e)
        if isinstance(request, Sleep):
            self.order += 1
            heapq.heappush(self.timers, (self.now + request.n, self.order, task))
        elif isinstance(request, Join):
            other = request.task
            if other.done:
                self.ready.append((task, other.result))
            else:
                other.waiters.append(task)
        elif request is None:
            self.ready.append((task, None))
        elif request[0] == "put":
            _, ch, v = request
            if ch.getters:
                self.ready.append((ch.getters.popleft(), v))
                self.ready.append((task, None))
            elif len(ch.items) < ch.size:
                ch.items.append(v)
                self.ready.append((task, None))
            else:
                ch.putters.append((task, v))
        else:
            ch = request[1]
            if ch.items:
                self.ready.append((task, ch.items.popleft()))
                if ch.putters:
                    other, v = ch.putters.popleft()
                    ch.items.append(v)
                    self.ready.append((other, None))
            elif ch.putters:
                other, v = ch.putters.popleft()
                self.ready.append((task, v))
                self.ready.append((other, None))
            else:
                ch.getters.append(task)

    def finish(self, task, result, error):
        task.done, task.result, task.error = True, result, error
        trace.append((self.now, task.name, result, type(error).__name__ if error else None))
        for w in task.waiters:
            self.ready.append((w, result))
        task.waiters.clear()
        task.gen = None


def ticker(n, every):
    for i in range(n):
        yield Sleep(every)
    return n * every


def producer(ch, n):
    for i in range(n):
        yield ch.put(i)
        if i % 3 == 0:
            yield Sleep(1)
    yield ch.put(None)


def consumer(ch):
    total = 0
    while True:
        v = yield ch.get()
        if v is None:
            return total
        total += v


def nested(depth):
    if depth:
        v = yield from nested(depth - 1)
        return v + 1
    yield Sleep(2)
    return 0


def patient():
    try:
        while True:
            yield Sleep(100)
    except Cancelled as e:
        trace.append("cancelled " + str(e))
        yield Sleep(1)
        return "cleaned up"
    finally:
        trace.append("finally")


def parent(s):
    children = [s.spawn(ticker(i + 1, i + 2), "child%d" % i) for i in range(3)]
    got = []
    for c in children:
        got.append((yield Join(c)))
    return got


def faulty():
    yield Sleep(3)
    return 1 // 0


def killer(s, victim):
    yield Sleep(7)
    s.cancel(victim)


s = Scheduler()
ch, buffered = Channel(), Channel(4)
s.spawn(producer(ch, 10), "producer")
s.spawn(consumer(ch), "consumer")
s.spawn(producer(buffered, 10), "buffered producer")
s.spawn(consumer(buffered), "buffered consumer")
s.spawn(nested(50), "nested")
s.spawn(parent(s), "parent")
s.spawn(faulty(), "faulty")
victim = s.spawn(patient(), "patient")
s.spawn(killer(s, victim), "killer")
s.run()
for line in trace:
    print(line)
print(s.now, Task.made)
ref = weakref.ref(victim)
del victim
gc.collect()
print(ref())
# Left unfinished: the generators are closed when the scheduler goes.
trace.clear()
s = Scheduler()
s.spawn(patient(), "left")
task, _ = s.ready.popleft()
s.step(task, None)
del task, s
gc.collect()
print(trace)
