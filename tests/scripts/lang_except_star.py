# Exception groups and except*: what is split off, what the handlers raise, how it is printed.
def t(f):
    try: f()
    except BaseException as e:
        show(e)
def show(e, d=0):
    print(" "*d, type(e).__name__, e.args if not isinstance(e, BaseExceptionGroup) else (e.message,), repr(e.__cause__), type(e.__context__).__name__)
    if isinstance(e, BaseExceptionGroup):
        for x in e.exceptions: show(x, d+2)
eg = ExceptionGroup("eg", [ValueError(1), TypeError(2), ExceptionGroup("in", [OSError(3), ValueError(4)])])
print(eg, repr(eg), eg.message, eg.exceptions)
print(eg.split(ValueError))
print(eg.subgroup(lambda e: isinstance(e, OSError)))
print(eg.subgroup(KeyError), eg.split(Exception))
def a():
    try: raise eg
    except* ValueError as e: show(e)
    except* TypeError: print("type")
    except* OSError as e: print("os", e.exceptions)
    else: print("else")
    finally: print("fin")
t(a)
def b():
    try: raise eg
    except* ValueError as e: raise KeyError("k")
    except* TypeError: raise
t(b)
def c():
    try: raise ValueError("naked")
    except* ValueError as e: show(e)
t(c)
def c2():
    try: raise ValueError("naked")
    except* TypeError as e: show(e)
t(c2)
def c3():
    try: raise ValueError("naked")
    except* ValueError as e: raise KeyError(1)
t(c3)
def d():
    try: print("no")
    except* ValueError: pass
    else: print("else")
t(d)
def e():
    try: raise eg
    except* (ValueError, OSError): pass
t(e)
def f():
    try: raise eg
    except* ExceptionGroup: pass
t(f)
def g():
    try: raise eg
    except* 5: pass
t(g)
def h():
    for i in range(3):
        try:
            raise ExceptionGroup("x", [ValueError(i)])
        except* ValueError as e:
            for j in range(5):
                if j == 2: break
            print(i, j, e.exceptions)
    try: e
    except UnboundLocalError as x: print("unbound")
t(h)
for bad in [lambda: ExceptionGroup("a", []), lambda: ExceptionGroup("a", [1]), lambda: ExceptionGroup("a", [KeyboardInterrupt()])]:
    try: bad()
    except Exception as e: print(type(e).__name__, e)
print(type(BaseExceptionGroup("a", [ValueError()])).__name__, type(BaseExceptionGroup("a", [KeyboardInterrupt()])).__name__)
class My(ExceptionGroup):
    def derive(self, excs): return My(self.message, excs)
m = My("m", [ValueError(1), TypeError(2)])
print(m.split(ValueError))
import sys
def k():
    try: raise eg
    except* ValueError as e: print(sys.exc_info()[1] is e)
    except* Exception: pass
    print(sys.exc_info())
t(k)
import traceback
try:
    try:
        raise ExceptionGroup("one", [ValueError(1), ExceptionGroup("two", [TypeError("x"), KeyError("y")])])
    except* KeyError:
        raise
except ExceptionGroup as e:
    text = traceback.format_exception(e)
    print("".join([line for line in "".join(text).splitlines(True) if "File" not in line and "raise" not in line]))


def new_and_rest():
    try:
        raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
    except* ValueError as e:
        raise KeyError("new") from e


class Coded(ExceptionGroup):
    def __new__(cls, message, exceptions, code=0):
        self = super().__new__(cls, message, exceptions)
        self.code = code
        return self

    def derive(self, exceptions):
        return Coded(self.message, exceptions, self.code)


try:
    new_and_rest()
except BaseException as e:
    print(repr(e))
for part in Coded("my", [ValueError(1), TypeError(2)], 5).split(ValueError):
    print(repr(part), part.args, part.code)
