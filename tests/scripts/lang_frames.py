# Frames and tracebacks as objects: sys._getframe, f_back, f_lineno, f_locals, tb_next, tb_frame, tb_lineno.
import sys
import threading


def names(frame):
    out = []
    while frame is not None:
        out.append(frame.f_code.co_name)
        frame = frame.f_back
    return out


def inner(depth):
    if depth == 0:
        return names(sys._getframe()), names(sys._getframe(1)), sys._getframe(2).f_code.co_name
    return inner(depth - 1)


print(inner(3))


class Where:
    here = sys._getframe().f_code.co_name
    lines = [sys._getframe(0).f_code.co_name for _ in range(1)]

    def method(self):
        return names(sys._getframe()), sys._getframe().f_code.co_qualname

    @property
    def prop(self):
        return names(sys._getframe())

    def __del__(self):
        print("del in", names(sys._getframe())[-1])

    def __lt__(self, other):
        found.append(names(sys._getframe()))
        return False


found = []
print(Where.here, Where.lines, Where().method(), Where().prop)
sorted([Where(), Where()])
print(found[0], (lambda: names(sys._getframe()))())
print(max([1, 2], key=lambda x: found.append(names(sys._getframe(1))) or x), found[-1])


def generator():
    yield names(sys._getframe())
    yield [names(sys._getframe()) for _ in "x"]


def uses():
    return list(generator()), next(generator())


print(uses())

# Lines: of a running frame, and of frames below it.
first = sys._getframe().f_lineno
second = sys._getframe().f_lineno
print(second - first)


def caller_line():
    return sys._getframe(1).f_lineno


a = caller_line()
b = caller_line()
c = (caller_line(),
     caller_line())
print(b - a, c[0] - b, c[1] - c[0])


def locals_of():
    x = 1
    y = [2]

    def closure():
        return x
    f = sys._getframe()
    z = dict(f.f_locals)
    return sorted(z), z["x"], f.f_globals is globals(), f.f_builtins["len"] is len, f.f_code is locals_of.__code__


print(locals_of())
print(sys._getframe().f_locals is globals(), sys._getframe().f_back, sys._getframe().f_code.co_name)
for bad in (1000, "x"):
    try:
        sys._getframe(bad)
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e if bad == 1000 else "")


# Tracebacks.
def low(n):
    value = n * 2
    return 1 // (n - n)


def middle(n):
    local = "m%d" % n
    return low(n)


def top():
    try:
        middle(3)
    except ZeroDivisionError as e:
        return e


error = top()
tb = error.__traceback__
entries = []
while tb:
    f = tb.tb_frame
    entries.append((f.f_code.co_name, tb.tb_lineno - f.f_code.co_firstlineno, f.f_lineno - f.f_code.co_firstlineno))
    tb = tb.tb_next
print(entries)
last = error.__traceback__.tb_next.tb_next
print(last.tb_next, last.tb_frame.f_locals, last.tb_frame.f_back.f_locals, names(last.tb_frame))
print(error.__traceback__.tb_frame.f_back.f_code.co_name, type(last).__name__, type(last.tb_frame).__name__)
same = error.with_traceback(last)
print(same is error, error.__traceback__ is last, error.__traceback__.tb_frame.f_code.co_name)
error.__traceback__ = None
print(error.__traceback__)
tb = last
try:
    tb.tb_next = 5
except TypeError as e:
    print("TypeError")


# Who calls: a small logger, and a function that refuses to be called from elsewhere.
def log(message):
    f = sys._getframe(1)
    return "%s:+%d %s" % (f.f_code.co_name, f.f_lineno - f.f_code.co_firstlineno, message)


def works():
    first = log("one")

    def deeper():
        return log("two")
    return first, deeper()


print(works())

# Frames of other threads are their own.
results = []


def thread_main():
    f = sys._getframe()
    bottom = f
    while bottom.f_back is not None:
        bottom = bottom.f_back
    results.append((f.f_code.co_name, "works" in names(f), bottom.f_code.co_name != "<module>"))


t = threading.Thread(target=thread_main)
t.start()
t.join()
print(results)


# A finished frame still knows its line, its caller and its locals.
def keeps():
    word = "kept"
    saved.append(sys._getframe())
    return word


def calls():
    mine = "caller's"
    keeps()


saved = []
calls()
f = saved.pop()
print(f.f_code.co_name, f.f_lineno - f.f_code.co_firstlineno, f.f_locals, f.f_back.f_code.co_name, f.f_back.f_locals)
f.clear()
print(f.f_locals)
try:
    sys._getframe().clear()
except RuntimeError as e:
    print(e)
