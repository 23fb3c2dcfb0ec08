# Exceptions: try, except, else, finally, raise, chaining, hierarchy.
def run(f):
    try:
        f()
    except ZeroDivisionError as e:
        return "zero", str(e)
    except (KeyError, IndexError) as e:
        return type(e).__name__, e.args
    except Exception as e:
        return "other", type(e).__name__, e.args
    else:
        return "else"
    finally:
        print("finally", end=" ")


print(run(lambda: 1 / 0), run(lambda: {}["k"]), run(lambda: [][1]), run(lambda: int("x")), run(lambda: None))


def order(how):
    log = []
    try:
        log.append("try")
        if how == "raise":
            raise ValueError("v")
        if how == "return":
            return log
        log.append("after")
    except ValueError:
        log.append("except")
    else:
        log.append("else")
    finally:
        log.append("finally")
    log.append("end")
    return log


print(order("raise"), order("return"), order("no"))


def override():
    try:
        return "try"
    finally:
        return "finally"


def swallow():
    for i in range(3):
        try:
            raise ValueError
        finally:
            continue
    return "swallowed"


def brk():
    while True:
        try:
            break
        finally:
            print("cleanup", end=" ")
    return "broke"


def nested():
    try:
        try:
            raise KeyError("inner")
        finally:
            print("f1", end=" ")
    except KeyError as e:
        print("caught", e, end=" ")
        try:
            raise ValueError("second")
        except ValueError as e2:
            return type(e2.__context__).__name__, e2.__cause__, e2.__suppress_context__


print(override(), swallow(), brk(), nested())


class MyError(Exception):
    def __init__(self, code, *rest):
        super().__init__(code, *rest)
        self.code = code

    def __str__(self):
        return f"my {self.code}"


class Sub(MyError):
    pass


try:
    raise Sub(5, "x")
except MyError as e:
    print(e, repr(e), e.args, e.code, isinstance(e, Exception))
for x in (ValueError, ValueError(), ValueError("a"), ValueError("a", 1), KeyError("k"), KeyError(), OSError(2, "No such file"), StopIteration(5), SystemExit(3), Exception(None), AssertionError("m"), UnicodeError("u")):
    try:
        raise x
    except BaseException as e:
        print(type(e).__name__, str(e), repr(e), e.args, end="; ")
print()
try:
    raise ValueError("a") from KeyError("b")
except ValueError as e:
    print(repr(e.__cause__), repr(e.__context__), e.__suppress_context__)
try:
    try:
        1 / 0
    except ZeroDivisionError:
        raise RuntimeError("new") from None
except RuntimeError as e:
    print(e.__cause__, repr(e.__context__), e.__suppress_context__)


def reraise():
    try:
        raise ValueError("first")
    except ValueError:
        try:
            raise KeyError("second")
        except KeyError:
            pass
        raise


try:
    reraise()
except ValueError as e:
    print("reraised", e, e.__context__)
for bad in (lambda: exec_raise(5), lambda: exec_raise("text"), lambda: exec_raise(None), lambda: exec_raise(int), lambda: bare()):
    def exec_raise(x):
        raise x

    def bare():
        raise
    try:
        bad()
    except BaseException as e:
        print(type(e).__name__ + ":", e)
try:
    try:
        raise ValueError("x")
    except 5:
        pass
except TypeError as e:
    print(e, "|", repr(e.__context__))
try:
    raise ValueError from 5
except TypeError as e:
    print(e)
e = "kept"
try:
    raise ValueError("gone")
except ValueError as e:
    pass
try:
    e
except NameError as err:
    print(err)
try:
    assert 1 == 2, "message %d" % 5
except AssertionError as err:
    print(err, err.args)
try:
    assert []
except AssertionError as err:
    print(repr(err))
for cls in (ArithmeticError, ZeroDivisionError, OverflowError, AttributeError, EOFError, ImportError, ModuleNotFoundError, LookupError, IndexError, KeyError, MemoryError, NameError, UnboundLocalError, NotImplementedError, OSError, FileNotFoundError, ReferenceError, RuntimeError, RecursionError, StopIteration, GeneratorExit, SystemExit, KeyboardInterrupt, TypeError, ValueError, UnicodeDecodeError, TimeoutError, Warning):
    print(cls.__name__, [c.__name__ for c in cls.__mro__[1:-1]], end=" ")
print()


def depth(n):
    if n == 0:
        raise ValueError("deep")
    depth(n - 1)


try:
    depth(3)
except ValueError as e:
    tb, n = e.__traceback__, 0
    while tb:
        n += 1
        tb = tb.tb_next
    print(n, e.__traceback__.tb_lineno > 0)
try:
    raise KeyError("x").with_traceback(None)
except KeyError as e:
    print(e, e.__traceback__ is not None)
x = ValueError("note")
x.extra = 1
print(x.extra, x == x, ValueError("a") == ValueError("a"), x.__context__, x.__traceback__)


def gen():
    try:
        yield 1
        yield 2
    except ValueError as e:
        yield "caught " + str(e)
    finally:
        print("gen finally", end=" ")


g = gen()
next(g)
print(g.throw(ValueError("thrown")), list(g))
import sys
try:
    1 / 0
except ZeroDivisionError:
    print(sys.exc_info()[0].__name__, sys.exc_info()[1])
print(sys.exc_info())


def finally_order():
    for i in range(2):
        try:
            try:
                if i:
                    return "returned"
                continue
            finally:
                print("inner", i, end=" ")
        finally:
            print("outer", i, end=" ")


print(finally_order())
try:
    print(undefined_name)
except (TypeError, NameError) as e:
    print(type(e).__name__)
try:
    [].x.y
except AttributeError as e:
    print(e, e.name, e.obj)
try:
    import not_a_module
except ImportError as e:
    print(type(e).__name__, e, e.name)
try:
    from math import nope
except ImportError as e:
    print(str(e).split(" (")[0])
