# async with, async for, asynchronous comprehensions: every way out of a block.


def run(coro):
    steps = 0
    try:
        while True:
            coro.send(None)
            steps += 1
    except StopIteration as stop:
        return stop.value, steps


class Tick:
    def __await__(self):
        yield


class Managed:
    def __init__(self, name, swallow=False, log=None):
        self.name = name
        self.swallow = swallow
        self.log = log

    async def __aenter__(self):
        await Tick()
        self.log.append("enter " + self.name)
        return self.name.upper()

    async def __aexit__(self, kind, value, traceback):
        await Tick()
        self.log.append("exit %s %s" % (self.name, kind.__name__ if kind else None))
        return self.swallow


class Count:
    def __init__(self, n, fail_at=None):
        self.n = n
        self.i = 0
        self.fail_at = fail_at

    def __aiter__(self):
        return self

    async def __anext__(self):
        await Tick()
        if self.i == self.fail_at:
            raise LookupError("at %d" % self.i)
        if self.i >= self.n:
            raise StopAsyncIteration
        self.i += 1
        return self.i


async def normal(log):
    async with Managed("a", log=log) as x, Managed("b", log=log) as y:
        log.append("body " + x + y)
    return "after"


async def returns(log):
    async with Managed("a", log=log):
        async with Managed("b", log=log):
            return "returned"


async def raises(log, swallow):
    async with Managed("a", swallow, log=log):
        raise KeyError("k")
    return "swallowed"


async def loops(log):
    for i in range(5):
        async with Managed("m%d" % i, log=log):
            if i == 1:
                continue
            if i == 3:
                break
    return i


async def both(log):
    with open("/dev/null") as f:
        async with Managed("a", log=log):
            try:
                async with Managed("b", log=log):
                    raise ValueError("v")
            except ValueError as e:
                log.append("caught %s" % e)
            finally:
                log.append("finally")
    return f.closed


for function in (normal, returns, loops, both):
    log = []
    print(function.__name__, run(function(log)), log)
for swallow in (True, False):
    log = []
    try:
        print(run(raises(log, swallow)), log)
    except KeyError as e:
        print("KeyError", e, log)


async def total(n):
    s = 0
    async for i in Count(n):
        s += i
    else:
        s += 1000
    return s


async def first_over(n, limit):
    async for i in Count(n):
        if i > limit:
            break
    else:
        return None
    return i


async def skip(n):
    out = []
    async for i in Count(n):
        if i % 2:
            continue
        out.append(i)
    return out


async def nested(n):
    out = []
    async for i in Count(n):
        async for j in Count(i):
            if j == 2:
                break
            out.append((i, j))
    return out


async def failing():
    seen = []
    try:
        async for i in Count(5, fail_at=2):
            seen.append(i)
    except LookupError as e:
        return seen, str(e)


async def returning():
    async for i in Count(9):
        try:
            if i == 3:
                return "returned", i
        finally:
            i = -i


async def body_raises_stop():
    async for i in Count(3):
        raise StopAsyncIteration("from the body")


for coro in (total(4), total(0), first_over(9, 4), first_over(3, 4), skip(6), nested(3), failing(), returning()):
    print(coro.__name__, run(coro))
try:
    run(body_raises_stop())
except StopAsyncIteration as e:
    print("StopAsyncIteration", e)


async def comprehensions():
    a = [i * i async for i in Count(4)]
    b = {i % 3 async for i in Count(7)}
    c = {i: -i async for i in Count(3) if i != 2}
    d = [(i, j) async for i in Count(2) for j in range(i)]
    e = [(i, j) for i in range(2) async for j in Count(i + 1)]
    f = [[j async for j in Count(i)] for i in range(3)]
    return a, sorted(b), c, d, e, f


print(run(comprehensions()))


async def wrong(kind):
    if kind == "with":
        async with 5:
            pass
    elif kind == "with2":
        class Half:
            async def __aenter__(self):
                pass
        async with Half():
            pass
    elif kind == "enter":
        class Plain:
            def __aenter__(self):
                return 1

            def __aexit__(self, *args):
                return 1
        async with Plain():
            pass
    elif kind == "for":
        async for i in [1, 2]:
            pass
    elif kind == "next":
        class It:
            def __aiter__(self):
                return 7
        async for i in It():
            pass
    elif kind == "anext":
        class It:
            def __aiter__(self):
                return self

            def __anext__(self):
                return 7
        async for i in It():
            pass


for kind in ("with", "with2", "enter", "for", "next", "anext"):
    try:
        run(wrong(kind))
    except TypeError as e:
        print(kind, e, type(e.__cause__).__name__)

# Closing in the middle runs the exits.
log = []


async def waits_inside():
    async with Managed("outer", log=log):
        async for i in Count(5):
            async with Managed("inner%d" % i, log=log):
                await Tick()


c = waits_inside()
for _ in range(5):
    c.send(None)
try:
    c.throw(TimeoutError("enough"))
    while True:
        c.send(None)
except TimeoutError as e:
    print("out:", e, log)
