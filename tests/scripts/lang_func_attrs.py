# Functions as objects: names, defaults, code, closure, attributes, all changed while in use.
import functools
import threading
import types


def f(a, b=2, *args, c=3, d, **kw):
    """Doc of f."""
    return a, b, args, c, d, kw


print(f.__name__, f.__qualname__, f.__module__, f.__doc__, f.__defaults__, f.__kwdefaults__, f.__closure__, f.__dict__)
code = f.__code__
print(code.co_name, code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, code.co_varnames, code.co_flags & 12)
f.__defaults__ = (10, 20)
print(f(d=1), f(5, d=1))
f.__kwdefaults__ = {"d": 7}
try:
    f()
except TypeError as e:
    print(e)
print(f(c=0))
f.__defaults__ = None
f.__kwdefaults__ = None
for args, kw in (((), {}), ((1,), {}), ((1, 2), {"c": 1})):
    try:
        print(f(*args, **kw))
    except TypeError as e:
        print(e)
f.__name__ = "g"
f.__qualname__ = "Outer.g"
f.__doc__ = "other"
f.__module__ = "elsewhere"
print(f.__name__, repr(f).split(" at ")[0], f.__doc__, f.__module__, code.co_name)
for name, value in (("__name__", 5), ("__qualname__", None), ("__defaults__", [1]), ("__kwdefaults__", 1), ("__dict__", 1),
                    ("__code__", "x")):
    try:
        setattr(f, name, value)
        print(name, "set")
    except TypeError as e:
        print(e)
f.counter = 0
f.counter += 1
setattr(f, "label", "L")
print(f.__dict__, vars(f) is f.__dict__, hasattr(f, "nothing"))
del f.counter
f.__dict__ = {"fresh": 1}
print(f.fresh, f.__dict__)
try:
    f.counter
except AttributeError as e:
    print(e)


# Closures.
def outer(n):
    total = n

    def add(k):
        nonlocal total
        total += k
        return total

    def read():
        return total, n
    return add, read


add, read = outer(10)
add(5)
print(read(), [c.cell_contents for c in read.__closure__], read.__code__.co_freevars, outer.__code__.co_cellvars)
print(add.__closure__[0] is read.__closure__[1], len(add.__closure__))
add.__closure__[0].cell_contents = 100
print(add(1), read())
try:
    add.__closure__ = ()
except AttributeError as e:
    print("AttributeError")


def late():
    def g():
        return x
    try:
        g()
    except NameError as e:
        print(e)
    cell = g.__closure__[0]
    try:
        cell.cell_contents
    except ValueError as e:
        print(e)
    x = 1
    print(g(), cell.cell_contents)
    del x
    try:
        cell.cell_contents
    except ValueError as e:
        print(e)


late()


# __code__ replaced.
def one():
    return 1


def two():
    return 2


def gen():
    yield 3


running = []


def swapped():
    running.append(swapped.__code__.co_name)
    swapped.__code__ = two.__code__
    return "still the old code"


one.__code__ = two.__code__
print(one(), one.__name__, one.__code__ is two.__code__)
print(swapped(), swapped(), running)
two.__code__ = gen.__code__
print(list(two()), one())
try:
    one.__code__ = read.__code__
except ValueError as e:
    print(e)


def shared():
    return "a"


def version_b():
    return "b"


codes = [shared.__code__, version_b.__code__]
seen = set()


def swap():
    for i in range(200):
        shared.__code__ = codes[i % 2]


def call():
    for _ in range(2000):
        seen.add(shared())


threads = [threading.Thread(target=t) for t in (swap, call, call)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(seen <= {"a", "b"}, len(seen) > 0)

# Defaults changed by another thread: a call sees old or new ones, whole.
def pair(a=0, b=0):
    return a - b


bad = []


def change():
    for i in range(500):
        pair.__defaults__ = (i, i)


def check():
    for _ in range(3000):
        if pair() != 0:
            bad.append(1)


threads = [threading.Thread(target=t) for t in (change, check, check)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(len(bad))


# Methods, wraps, partial.
class C:
    def m(self, x):
        return x


m = C().m
print(m.__name__, m.__func__ is C.m, m.__self__.__class__.__name__, C.m.__qualname__, m == m.__self__.m, m.__doc__)
try:
    m.attribute = 1
except AttributeError as e:
    print("AttributeError")
C.m.attribute = 2
print(m.attribute)


def decorate(function):
    @functools.wraps(function)
    def wrapper(*args):
        wrapper.calls += 1
        return function(*args)
    wrapper.calls = 0
    return wrapper


@decorate
def decorated(x):
    """Decorated."""
    return x


decorated(1)
decorated(2)
print(decorated.calls, decorated.__name__, decorated.__doc__, decorated.__wrapped__.__name__)
print(types.MethodType(lambda self, x: self + x, 5)(6), (lambda: 0).__name__, (lambda: 0).__qualname__)
print(outer.__code__.co_names, outer.__code__.co_filename.split("/")[-1], late.__code__.co_firstlineno > f.__code__.co_firstlineno)
