# exit: 1
# stderr
# Which part of the line failed.
import sys


def show(f):
    try:
        f()
    except Exception as e:
        sys.excepthook(type(e), e, e.__traceback__)


class C:
    a = None


c = C()
d = {"k": {"j": None}}
show(lambda: c.a.b.c)
show(lambda: d["k"]["j"]["i"])
show(lambda: 1 + 2 * (3 / 0) - 4)
show(lambda: c.a + c.a)
show(lambda: int("x") + int("1"))
show(lambda: print(c.nope, undefined))
show(lambda: (1,
              2)[5])
show(lambda: "é" * 3 + 5)
show(lambda: -c)
show(lambda: [x / 0 for x in [1]])
def multi(a,
          b):
    return a + \
        b
show(lambda: multi(1,
                   "x"))
with open("/nonexistent/path/to/file") as f:
    pass
