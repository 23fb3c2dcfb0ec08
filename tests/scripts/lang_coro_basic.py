# Coroutines driven by hand: send, throw, close, results, errors.


def drive(coro):
    """Runs a coroutine that awaits nothing that really waits."""
    try:
        while True:
            coro.send(None)
    except StopIteration as stop:
        return stop.value


class Pause:
    """Yields a value to whoever drives, and gives what was sent."""

    def __init__(self, value):
        self.value = value

    def __await__(self):
        got = yield self.value
        return got


async def plain(x):
    return x * 2


async def chain(n):
    if n == 0:
        return "end"
    return "%d-%s" % (n, await chain(n - 1))


async def talk():
    total = 0
    for i in range(3):
        total += await Pause(i)
    return total


print(drive(plain(21)), drive(chain(5)))
c = talk()
print(c.send(None), c.send(10), c.send(20))
try:
    c.send(30)
except StopIteration as stop:
    print("result", stop.value)
print(type(c).__name__, c.__name__, c.__qualname__, repr(c)[:22])
print(c.cr_running, c.cr_frame, c.cr_await, c.cr_code.co_name)


# Every kind of wrong use.
def attempt(what, function, *args):
    try:
        print(what, "gives", function(*args))
    except BaseException as e:
        print(what, "->", type(e).__name__, e)


attempt("finished", c.send, None)
attempt("finished throw", c.throw, ValueError("late"))
print(c.close())
fresh = talk()
attempt("value at once", fresh.send, 1)
attempt("iterate", iter, fresh)
attempt("next", next, fresh)
attempt("list", list, fresh)
fresh.close()


async def bad_await():
    await 5


async def bad_iterator():
    class Wrong:
        def __await__(self):
            return 5
    await Wrong()


async def bad_coroutine():
    class Wrong:
        def __await__(self):
            return plain(1)
    await Wrong()


async def stops():
    raise StopIteration("inner")


for function in (bad_await, bad_iterator, bad_coroutine, stops):
    attempt(function.__name__, drive, function())


def generator():
    yield from plain(1)


attempt("yield from", list, generator())


# throw() reaches the innermost await, and the coroutines outside see the exception on its way.
async def inner():
    try:
        await Pause("inner waits")
    except KeyError as e:
        print("inner got", repr(e))
        return "recovered"
    finally:
        print("inner leaves")


async def outer():
    try:
        return "outer: " + await inner()
    finally:
        print("outer leaves")


c = outer()
print(c.send(None))
print(c.cr_await.__name__, type(c.cr_await).__name__, c.cr_await.cr_await is not None)
try:
    c.throw(KeyError("k"))
except StopIteration as stop:
    print(stop.value)

c = outer()
c.send(None)
attempt("throw", c.throw, OSError("not caught"))
c = outer()
c.send(None)
print("close:", c.close())
print("close again:", c.close())


async def stubborn():
    while True:
        try:
            await Pause(1)
        except GeneratorExit:
            pass


c = stubborn()
c.send(None)
attempt("close", c.close)
try:
    c.throw(SystemExit(3))
except SystemExit as e:
    print("exit", e.code)

# Two awaits of one coroutine.
shared = talk()


async def waits():
    return await shared


first, second = waits(), waits()
first.send(None)
attempt("second", second.send, None)
first.close()

# __await__ of a coroutine is an iterator.
it = talk().__await__()
print(type(it).__name__, iter(it) is it, next(it), it.send(5), it.send(6))
attempt("wrapper", it.send, 7)
w = talk().__await__()
next(w)
attempt("wrapper throw", w.throw, ValueError, "v")
w.close()


# Names, defaults, decorators, methods, lambdas around.
def logged(function):
    async def wrapper(*args, **kwargs):
        print("call", function.__name__, args[1:], sorted(kwargs.items()))
        return await function(*args, **kwargs)
    return wrapper


class Service:
    def __init__(self, factor):
        self.factor = factor

    @logged
    async def scale(self, value, *, plus=0):
        return value * self.factor + plus

    @classmethod
    async def make(cls, factor):
        return cls(factor)

    @staticmethod
    async def constant():
        return 42


async def program():
    service = await Service.make(3)
    a = await service.scale(4, plus=1)
    b = await Service.constant()
    parts = [await service.scale(i) for i in range(3)]
    total = sum([await plain(p) for p in parts if await plain(p) > 0])
    table = {k: await plain(k) for k in "ab"}
    return a, b, parts, total, table, await plain(await plain(1)), -await plain(2) ** 2


print([part for part in drive(program()) if not isinstance(part, Service)])
print(plain.__code__.co_flags & 0x80 != 0, drive.__code__.co_flags & 0x80)
