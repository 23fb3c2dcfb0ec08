# Exceptions, row by row.
import queue, threading, concurrent.futures, sys
names = "BaseException Exception ArithmeticError ZeroDivisionError OverflowError AssertionError AttributeError EOFError ImportError ModuleNotFoundError LookupError IndexError KeyError MemoryError NameError UnboundLocalError NotImplementedError OSError FileNotFoundError ReferenceError RuntimeError RecursionError StopIteration GeneratorExit SystemExit KeyboardInterrupt TypeError ValueError FloatingPointError BufferError UnicodeError StopAsyncIteration SystemError PermissionError FileExistsError IsADirectoryError NotADirectoryError TimeoutError InterruptedError ConnectionError BrokenPipeError ChildProcessError ProcessLookupError BlockingIOError Warning UserWarning DeprecationWarning RuntimeWarning FutureWarning SyntaxWarning ResourceWarning ImportWarning UnicodeWarning BytesWarning PendingDeprecationWarning EncodingWarning ConnectionAbortedError ConnectionRefusedError ConnectionResetError IOError EnvironmentError".split()
import builtins
for n in names:
    t = getattr(builtins, n, None)
    if t is None: print(n, "missing"); continue
    print(n, [k.__name__ for k in t.__mro__])
    try: e = t("a"); print(repr(e), str(e), e.args)
    except TypeError as x: print("TE", x)
    try: e = t(); print(repr(e), str(e), e.args); 
    except TypeError as x: print("TE", x)
    try: e = t("a", "b"); print(repr(e), str(e), e.args)
    except TypeError as x: print("TE", x)
for t in (queue.Empty, queue.Full, threading.BrokenBarrierError, concurrent.futures.TimeoutError, concurrent.futures.CancelledError):
    print(t.__name__, t.__mro__[1].__name__, repr(t("x")))
print(str(KeyError("a")), str(KeyError("a", "b")), str(KeyError()), repr(KeyError(1)))
e = OSError(2, "No such file", "f"); print(e, e.errno, e.strerror, e.filename, type(e), e.args, repr(e))
try: open("/nonexistent/x")
except OSError as e: print(e, e.errno, e.strerror, e.filename, type(e).__name__)
try: import nonexistent_mod
except ImportError as e: print(e, e.name, type(e).__name__)
try: from sys import nonexistent
except ImportError as e: print(e, e.name)
e = StopIteration(5); print(e.value); e = SystemExit(3); print(e.code); e = SystemExit(); print(e.code)
class E(Exception):
    def __init__(self, a, b=2): self.a = a; super().__init__(a)
    def __str__(self): return "E!" + str(self.a)
e = E(1); print(e, repr(e), e.args, e.a, e.__cause__, e.__context__, e.__traceback__)
class E2(E): pass
class K(KeyError): pass
print(repr(K("a")), str(K("a")), E2(3))
try:
    try: 1/0
    except ZeroDivisionError as z: raise E(5) from z
except E as x:
    print(repr(x.__cause__), repr(x.__context__), x.__suppress_context__, x.__traceback__.tb_lineno, x.__traceback__.tb_next)
e.add_note("n1"); print(e.__notes__)
print(e.with_traceback(None) is e)
print(Exception("a") == Exception("a"), Exception.__name__)
try: raise E2(1)
except KeyError: print("no")
except E as x: print("yes", type(x))
def f():
    try: raise KeyError(1)
    finally: raise ValueError(2)
try: f()
except ValueError as x: print(repr(x.__context__))
print(sys.exc_info())
try: 1/0
except: print(sys.exc_info()[0], sys.exc_info()[1])
try:
    raise ExceptionGroup("g", [ValueError(1), KeyError(2)])
except* ValueError as g: print("vg", g.exceptions)
except* KeyError as g: print("kg", g.exceptions)
x = Exception(1); x.args = (5, 6); print(x, x.args); x.foo = 1; print(x.__dict__)
try: {}["k"]
except LookupError as x: print(x.args)
import copy
y = copy.copy(E2(4)); print(type(y), y.args)
try: e.__cause__ = 5
except TypeError as x: print(x)
try: e.__traceback__ = 5
except TypeError as x: print(x)
