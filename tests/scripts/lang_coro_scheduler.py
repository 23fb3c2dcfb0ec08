# An event loop in a page: tasks, timers on a simulated clock, channels, cancellation.
import heapq
import types
from collections import deque


@types.coroutine
def suspend(request):
    return (yield request)


class Cancelled(Exception):
    pass


class Task:
    counter = 0

    def __init__(self, coro, name):
        Task.counter += 1
        self.coro = coro
        self.name = name
        self.done = False
        self.result = None
        self.error = None
        self.waiters = []

    def __await__(self):
        if not self.done:
            yield ("join", self)
        if self.error is not None:
            raise self.error
        return self.result


class Loop:
    def __init__(self):
        self.now = 0
        self.ready = deque()
        self.timers = []
        self.sequence = 0
        self.log = []

    def spawn(self, coro, name):
        task = Task(coro, name)
        self.ready.append((task, None, None))
        return task

    def cancel(self, task):
        if not task.done:
            self.timers = [t for t in self.timers if t[2] is not task]
            heapq.heapify(self.timers)
            self.ready.append((task, None, Cancelled(task.name)))

    def run(self):
        while self.ready or self.timers:
            if not self.ready:
                self.now, _, task = heapq.heappop(self.timers)
                self.ready.append((task, None, None))
            task, value, error = self.ready.popleft()
            if task.done:
                continue
            try:
                request = task.coro.throw(error) if error is not None else task.coro.send(value)
            except StopIteration as stop:
                self.finish(task, stop.value, None)
            except Exception as e:
                self.finish(task, None, e)
            else:
                self.handle(task, request)

    def finish(self, task, result, error):
        task.done, task.result, task.error = True, result, error
        self.log.append("%3d %s %s" % (self.now, task.name, "failed: %r" % error if error else "-> %r" % (result,)))
        for waiter in task.waiters:
            self.ready.append((waiter, None, None))
        task.waiters.clear()

    def handle(self, task, request):
        kind, argument = request
        if kind == "sleep":
            self.sequence += 1
            heapq.heappush(self.timers, (self.now + argument, self.sequence, task))
        elif kind == "join":
            argument.waiters.append(task)
        elif kind == "get":
            if argument.items:
                self.ready.append((task, argument.items.popleft(), None))
                if argument.putters:
                    putter, item = argument.putters.popleft()
                    argument.items.append(item)
                    self.ready.append((putter, None, None))
            else:
                argument.getters.append(task)
        elif kind == "put":
            channel, item = argument
            if channel.getters:
                self.ready.append((channel.getters.popleft(), item, None))
                self.ready.append((task, None, None))
            elif len(channel.items) < channel.room:
                channel.items.append(item)
                self.ready.append((task, None, None))
            else:
                channel.putters.append((task, item))


class Channel:
    def __init__(self, room):
        self.room = room
        self.items = deque()
        self.getters = deque()
        self.putters = deque()

    async def put(self, item):
        await suspend(("put", (self, item)))

    async def get(self):
        return await suspend(("get", self))

    def __aiter__(self):
        return self

    async def __anext__(self):
        item = await self.get()
        if item is None:
            raise StopAsyncIteration
        return item


async def sleep(ticks):
    await suspend(("sleep", ticks))


async def producer(channel, n, pause):
    for i in range(n):
        await channel.put(i)
        await sleep(pause)
    await channel.put(None)
    return n


async def consumer(channel, out):
    async for item in channel:
        out.append(item)
        await sleep(1)
    else:
        out.append("end")
    return sum([x for x in out if x != "end"])


class Lock:
    def __init__(self):
        self.channel = Channel(1)
        self.channel.items.append("token")

    async def __aenter__(self):
        await self.channel.get()
        return self

    async def __aexit__(self, kind, value, traceback):
        await self.channel.put("token")


async def critical(lock, name, trace):
    for i in range(2):
        async with lock:
            trace.append("+" + name)
            await sleep(3)
            trace.append("-" + name)


async def flaky(n):
    await sleep(n)
    raise ValueError("flaky %d" % n)


async def forever():
    try:
        while True:
            await sleep(7)
    finally:
        await sleep(2)


async def main(loop):
    channel = Channel(2)
    out = []
    p = loop.spawn(producer(channel, 5, 2), "producer")
    c = loop.spawn(consumer(channel, out), "consumer")
    print("sum", await c, "of", await p, out)
    lock = Lock()
    trace = []
    tasks = [loop.spawn(critical(lock, name, trace), "critical-" + name) for name in "xyz"]
    for task in tasks:
        await task
    print(" ".join(trace))
    pairs = list(zip(trace[::2], trace[1::2]))
    print("exclusive", all([a[1:] == b[1:] and a[0] == "+" and b[0] == "-" for a, b in pairs]))
    bad = [loop.spawn(flaky(n), "flaky%d" % n) for n in (4, 1)]
    for task in bad:
        try:
            await task
        except ValueError as e:
            print("caught", e)
    endless = loop.spawn(forever(), "forever")
    await sleep(20)
    loop.cancel(endless)
    try:
        await endless
    except Cancelled as e:
        print("cancelled", e, "at", loop.now)
    return "done"


loop = Loop()
task = loop.spawn(main(loop), "main")
loop.run()
print(task.result, task.error, Task.counter)
for line in loop.log:
    print(line)
