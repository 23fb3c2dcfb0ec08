# contextlib with coroutines: asynchronous managers, AsyncExitStack, and the plain ones inside coroutines.
import contextlib
import gc
import weakref
from contextlib import AbstractAsyncContextManager, AsyncExitStack, ExitStack, aclosing, closing, contextmanager, nullcontext, suppress


def run(coro):
    try:
        while True:
            coro.send(None)
    except StopIteration as stop:
        return stop.value


class Tick:
    def __await__(self):
        yield


log = []


class Resource(AbstractAsyncContextManager):
    def __init__(self, name, swallow=False):
        self.name = name
        self.swallow = swallow

    async def __aenter__(self):
        await Tick()
        log.append("open " + self.name)
        return self

    async def __aexit__(self, kind, value, traceback):
        await Tick()
        log.append("close %s %s" % (self.name, kind and kind.__name__))
        return self.swallow

    async def aclose(self):
        log.append("aclose " + self.name)


@contextmanager
def plain(name):
    log.append("enter " + name)
    try:
        yield name
    except KeyError as e:
        log.append("%s sees %r" % (name, e))
        raise
    finally:
        log.append("leave " + name)


async def cleanup(*args, **kw):
    await Tick()
    log.append("cleanup %s %s" % (args, kw))


async def uses_stack(fail):
    async with AsyncExitStack() as stack:
        a = await stack.enter_async_context(Resource("a"))
        b = stack.enter_context(plain("b"))
        stack.push_async_callback(cleanup, 1, k=2)
        stack.callback(log.append, "callback")
        stack.push(lambda *details: log.append("push %s" % (details[0] and details[0].__name__)))
        stack.push_async_exit(Resource("pushed"))
        if fail:
            raise KeyError("inside")
        return a.name + b
    return "never"


print(run(uses_stack(False)), log)
log.clear()
try:
    run(uses_stack(True))
except KeyError as e:
    print("KeyError", e, log)
log.clear()


async def swallows():
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(Resource("outer", swallow=True))
        await stack.enter_async_context(Resource("inner"))
        raise ValueError("swallowed")
    return "went on"


print(run(swallows()), log)
log.clear()


async def moved():
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(Resource("kept"))
        other = stack.pop_all()
    log.append("stack left")
    await other.aclose()


run(moved())
print(log)
log.clear()


async def others():
    async with aclosing(Resource("c")) as c:
        log.append("using " + c.name)
    async with nullcontext(5) as n:
        log.append(n)
    with suppress(ZeroDivisionError, KeyError), closing(Closes()) as x:
        await Tick()
        {}["missing"]
    with plain("p"), contextlib.ExitStack() as s:
        s.enter_context(plain("q"))
        await Tick()
    return "done"


class Closes:
    def close(self):
        log.append("closed")


print(run(others()), log)
log.clear()


# Dropped in the middle: the managers close, in order, at once.
async def waits():
    with plain("first"):
        with plain("second"):
            await Tick()
            log.append("not reached")


c = waits()
c.send(None)
r = weakref.ref(c)
del c
print(r(), log)
log.clear()


async def async_waits():
    async with Resource("r"):
        await Tick()


c = async_waits()
c.send(None)
c.send(None)
try:
    c.close()
except RuntimeError as e:
    print(e)
print(log)
log.clear()


# A cycle of stack, callback and object.
class Owner:
    def __init__(self):
        self.stack = ExitStack()
        self.stack.callback(self.done)

    def done(self):
        log.append("done")


o = Owner()
r = weakref.ref(o)
del o
gc.collect()
print(r(), log)
with Owner().stack:
    pass
print(log)
