# traceback: formatting, extraction, limits, chains, notes, stacks.
import io
import sys
import traceback


def low(x):
    return {"a": 1}[x]


def middle(x):
    try:
        return low(x)
    except KeyError as e:
        raise ValueError("no such thing: %s" % x) from e


def outer(x):
    try:
        middle(x)
    finally:
        pass


def short(text):
    """Without the folder."""
    return text.replace(__file__, "FILE")


try:
    outer("zz")
except ValueError as e:
    error = e
    print(short(traceback.format_exc()))
    print(short(traceback.format_exc(limit=1)))
    print(short(traceback.format_exc(chain=False, limit=-1)))
    out = io.StringIO()
    traceback.print_exc(file=out)
    print(out.getvalue() == traceback.format_exc(), out.getvalue().count("Traceback"))
print(traceback.format_exc())
print([short(line) for line in traceback.format_tb(error.__traceback__)][-1])
print(len(traceback.format_tb(error.__traceback__, 2)), len(traceback.extract_tb(error.__traceback__)))
for entry in traceback.extract_tb(error.__traceback__):
    print(entry.name, entry.lineno, entry.line, entry[2], len(entry), entry.filename == __file__)
print(traceback.format_exception_only(error), traceback.format_exception_only(KeyError("k")))
print(traceback.format_exception_only(type(error), error), traceback.format_exception_only(None))
print("".join(traceback.format_exception(type(error), error, error.__traceback__)) == "".join(traceback.format_exception(error)))


class Odd(Exception):
    def __str__(self):
        raise RuntimeError("no text")


class Outer:
    class Inner(LookupError):
        pass


print(traceback.format_exception_only(Outer.Inner("x")), traceback.format_exception_only(Outer.Inner()))

# Notes.
try:
    try:
        raise TypeError("with notes")
    except TypeError as e:
        e.add_note("first note")
        e.add_note("second\nin two lines")
        raise
except TypeError as e:
    print(e.__notes__)
    print(short(traceback.format_exc()))
    try:
        e.add_note(5)
    except TypeError as wrong:
        print(wrong)

# Context without cause, and suppressed.
for kind in ("context", "from None", "cause"):
    try:
        try:
            1 / 0
        except ZeroDivisionError as z:
            if kind == "context":
                raise RuntimeError("second")
            elif kind == "from None":
                raise RuntimeError("second") from None
            else:
                raise RuntimeError("second") from OSError("made up")
    except RuntimeError as e:
        lines = traceback.format_exception(e)
        print(kind, [line.strip() for line in lines if "exception" in line or line.startswith(("R", "Z", "O"))])


# Recursion is shortened.
def endless(n):
    if n == 0:
        raise OverflowError("bottom")
    endless(n - 1)


try:
    endless(20)
except OverflowError:
    text = traceback.format_exc()
    print(text.count("endless(n - 1)"), [line.strip() for line in text.splitlines() if "repeated" in line])


# Stacks.
def stack():
    return traceback.extract_stack(), traceback.format_stack()


def caller():
    return stack()


entries, lines = caller()
print([e.name for e in entries], [e.line for e in entries][:2], len(lines), short(lines[-2]))
print([f.f_code.co_name for f, line in traceback.walk_stack(sys._getframe())])
print([(f.f_code.co_name, line) for f, line in traceback.walk_tb(error.__traceback__)])
print(short("".join(traceback.format_list([("FILE", 3, "name", "text of the line"), ("OTHER", 4, "g", None)]))))
te = traceback.TracebackException.from_exception(error)
print(str(te), len(te.stack), "".join(te.format()) == "".join(traceback.format_exception(error)), list(te.format_exception_only()))


# Frames let go.
class Thing:
    def __del__(self):
        print("del thing")


def holds():
    t = Thing()
    raise EOFError("e")


try:
    holds()
except EOFError as e:
    saved = e
print("saved")
traceback.clear_frames(saved.__traceback__)
print("cleared", saved.__traceback__.tb_next.tb_frame.f_locals)

# Standard error.
sys.stderr = io.StringIO()
try:
    raise UnicodeError("to stderr")
except UnicodeError:
    traceback.print_exc()
    traceback.print_stack()
    traceback.print_tb(saved.__traceback__, 1)
    traceback.print_exception(saved, chain=False, limit=0)
print(short(sys.stderr.getvalue()))
sys.stderr = sys.__stderr__

a, b = ValueError("a"), KeyError("b")
a.__cause__, b.__cause__ = b, a
print(len("".join(traceback.TracebackException.from_exception(a).format())) > 0, "a chain that comes back to itself")
print("".join(traceback.TracebackException.from_exception(a).format()))


def group_in_context():
    try:
        try:
            raise ExceptionGroup("inner", [ValueError(1), ExceptionGroup("deep", [KeyError("k")])])
        except ExceptionGroup:
            raise TypeError("while handling a group")
    except TypeError as e:
        return e


def group_of(*members):
    try:
        raise ExceptionGroup("outer", list(members))
    except ExceptionGroup as e:
        return e


def deep(n):
    group = ValueError("bottom")
    for i in range(n):
        group = ExceptionGroup("level %d" % i, [group])
    return group


member = group_of(ValueError("member"))
member.__cause__ = group_in_context()
for group in (group_of(group_in_context(), OSError("after")), group_of(OSError("before"), group_in_context()),
              group_of(OSError("before"), member), group_of(member, OSError("after")), deep(13), group_of(deep(12), KeyError("after")),
              ExceptionGroup("many", [ValueError(i) for i in range(18)]), group_in_context()):
    lines = "".join(traceback.format_exception(group)).split("\n")
    print("\n".join([line for line in lines if "  File " not in line]))
