# Asynchronous generators: steps by hand, asend, athrow, aclose, what they await, their end.
class Stop:
    def __init__(self, v): self.v = v
    def __await__(self):
        r = yield self.v
        return r

def run(coro, log=False):
    """Drives a coroutine; what it awaits is answered with its double."""
    sent = None
    while True:
        try:
            got = coro.send(sent)
        except StopIteration as e:
            return e.value
        if log: print("awaits", got)
        sent = got * 2

async def count(n):
    for i in range(n):
        yield i

async def slow(n):
    try:
        for i in range(n):
            r = await Stop(i)
            got = yield (i, r)
            if got is not None: print("got", got)
    finally:
        print("slow done")

async def main():
    print([x async for x in count(4)])
    async for x in slow(3):
        print(x)
    print({x: y async for x, y in slow(2)})
    g = slow(5)
    print(await g.asend(None))
    print(await g.asend("hello"))
    try:
        await g.athrow(ValueError("x"))
    except ValueError as e:
        print("caught", e)
    try:
        await g.__anext__()
    except StopAsyncIteration as e:
        print("over", e.args)
    g = slow(3)
    print(await g.__anext__())
    await g.aclose()
    await g.aclose()
    print([x async for x in g])
    genexp = (x * 2 async for x in count(3) if x)
    print(type(genexp).__name__, [y async for y in genexp])
    print([await Stop(x) async for x in count(3)])
    async def bad():
        yield 1
        raise StopAsyncIteration
    try:
        async for x in bad(): print(x)
    except RuntimeError as e:
        print(e, type(e.__cause__))
    async def ignores():
        try:
            yield 1
        finally:
            yield 2
    g = ignores()
    await g.__anext__()
    try:
        await g.aclose()
    except RuntimeError as e:
        print(e)
    print(await anext(aiter(count(3))))
    g = count(1)
    try: g.asend(5).send(None)
    except TypeError as e: print(e)
    a = g.__anext__()
    try: a.send(None)
    except StopIteration as e: print("value", e.value)
    try: a.send(None)
    except RuntimeError as e: print(e)
    print(g.ag_running, g.ag_frame is None, g.ag_code.co_name, g.ag_await)
run(main(), True)
g = slow(2)
a, b = g.__anext__(), g.__anext__()
print(a.send(None), g.ag_running)
try: b.send(None)
except RuntimeError as e: print(e)
try: a.throw(KeyError("k"))
except KeyError as e: print("out", e)
try:
    for x in count(2): pass
except TypeError as e: print(e)
def f(): yield from count(2)
try: next(f())
except TypeError as e: print(e)
import gc
g = slow(3)
try: g.__anext__().send(None)
except StopIteration: pass
del g
print("end")
def outer(): 
    return (x async for x in count(2))
print(type(outer()).__name__, count(1).__name__, repr(count(1))[:24])


async def two():
    yield 1
    yield 2


async def with_default():
    g = two()
    print([await anext(g, "none") for _ in range(4)], await anext(g, None))
    try:
        await anext(g)
    except StopAsyncIteration as e:
        print(repr(e))
    try:
        anext(5, 6)
    except TypeError as e:
        print(e)


try:
    with_default().send(None)
except StopIteration:
    print("done")
