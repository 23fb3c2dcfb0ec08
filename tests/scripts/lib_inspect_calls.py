# inspect.getcallargs and getattr_static.
import inspect


def show(function, *args, **named):
    try:
        print(sorted(inspect.getcallargs(function, *args, **named).items()))
    except TypeError as e:
        print(e)
        try:
            function(*args, **named)
        except TypeError:
            pass
        else:
            print("but the call is right")


def f(a, b=2, *c, d, e=5, **g):
    pass


def plain(a, b=1):
    pass


def three(a, b, c):
    pass


def names(*, a, b, c=3):
    pass


def nothing():
    pass


class C:
    x = 5
    __slots__ = ("q",)

    @property
    def p(self):
        return 1

    @staticmethod
    def s():
        pass

    @classmethod
    def k(cls, a):
        pass

    def m(self, a):
        pass


show(f, 1, d=3)
show(f, 1, 2, 3, 4, d=3, z=9)
show(f, 1, **{"d": 1, "self": 2})
show(f)
show(f, 1)
show(plain, 1, 2, 3)
show(plain)
show(plain, 1, a=2)
show(plain, b=2)
show(plain, 1, c=2)
show(three)
show(three, 1)
show(three, c=1)
show(three, 1, 2, 3, 4)
show(names)
show(names, a=1)
show(names, 1, a=1, b=2)
show(names, 1, 2, a=1, b=2, c=3)
show(nothing)
show(nothing, 1)
try:
    print(inspect.getcallargs(C().m))
except TypeError as e:
    print(e)
print(inspect.getcallargs(C().m, 3)["a"], sorted(inspect.getcallargs(C.m, 1, 2).items()), inspect.getcallargs(C.k, 3)["a"])


class Data:
    def __get__(self, obj, cls=None):
        raise RuntimeError("asked")

    def __set__(self, obj, value):
        raise RuntimeError("asked")


class Other:
    def __get__(self, obj, cls=None):
        raise RuntimeError("asked")


class Meta(type):
    only_meta = "meta"
    both = "meta too"


class A(metaclass=Meta):
    data = Data()
    other = Other()
    value = 1
    both = "class"

    def __init__(self):
        self.__dict__.update(data="hidden", other="shown", value=2, own=3)

    def __getattr__(self, name):
        raise RuntimeError("asked")


class B(A):
    def __getattribute__(self, name):
        raise RuntimeError("asked")


def static(obj, name, *default):
    try:
        found = inspect.getattr_static(obj, name, *default)
    except AttributeError as e:
        print(type(e).__name__, e)
    else:
        print(found if isinstance(found, (int, str)) else type(found).__name__)


for name in "data", "other", "value", "own", "both", "only_meta", "none":
    for obj in A, B, A():
        static(obj, name)
static(C(), "p")
static(C(), "q")
static(C(), "s")
static(C, "k")
static(C(), "x")
static(C(), "none", "default")
static(5, "real")
static("text", "upper")
