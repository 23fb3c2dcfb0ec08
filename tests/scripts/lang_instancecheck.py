# isinstance and issubclass: hooks, tuples, unions, proxies that lie.


class Duck(type):
    calls = 0

    def __instancecheck__(cls, obj):
        Duck.calls += 1
        return hasattr(obj, "quack")

    def __subclasscheck__(cls, sub):
        return hasattr(sub, "quack")


class Quacker(metaclass=Duck):
    pass


class Real(Quacker):
    pass


class Robot:
    def quack(self):
        return "beep"


print(isinstance(Robot(), Quacker), issubclass(Robot, Quacker), isinstance(5, Quacker), issubclass(int, Quacker))
n = Duck.calls
print(isinstance(Quacker(), Quacker), Duck.calls - n, isinstance(Real(), Quacker), Duck.calls - n)
print(isinstance(Robot(), (int, Quacker)), isinstance(Robot(), ((str, (Quacker,)), list)), isinstance(1, ()))
print(type.__instancecheck__(Quacker, Robot()), type.__instancecheck__(Quacker, Real()), type.__subclasscheck__(Quacker, Real))
print(isinstance(3, int | str), isinstance(None, int | None), isinstance("s", int | None), issubclass(bool, int | str))


class Liar:
    @property
    def __class__(self):
        return int


print(isinstance(Liar(), int), isinstance(Liar(), Liar), type(Liar()) is Liar, isinstance(Liar(), str), Liar().__class__)


class Proxy:
    def __init__(self, target):
        object.__setattr__(self, "_target", target)

    def __getattribute__(self, name):
        return getattr(object.__getattribute__(self, "_target"), name)


print(isinstance(Proxy([1]), list), isinstance(Proxy(5), (str, int)), Proxy("abc").upper())


class Angry(type):
    def __instancecheck__(cls, obj):
        raise RuntimeError("do not ask")

    def __subclasscheck__(cls, sub):
        return "yes"


class Touchy(metaclass=Angry):
    pass


for f in (lambda: isinstance(1, Touchy), lambda: isinstance(1, (int, Touchy)), lambda: issubclass(int, Touchy),
          lambda: isinstance(1, 5), lambda: isinstance(1, (5,)), lambda: issubclass(1, int), lambda: issubclass(int, 3),
          lambda: isinstance(1, [int]), lambda: isinstance(Touchy(), Touchy)):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)

# A hook set later counts at once.
class Late(type):
    pass


class Target(metaclass=Late):
    pass


print(isinstance(1, Target))
Late.__instancecheck__ = lambda cls, obj: isinstance(obj, int)
print(isinstance(1, Target), isinstance("", Target))
del Late.__instancecheck__
print(isinstance(1, Target))

# Exceptions are matched by the real classes, whatever hooks say.
class Everything(type):
    def __instancecheck__(cls, obj):
        return True

    def __subclasscheck__(cls, sub):
        return True


class CatchAll(Exception, metaclass=Everything):
    pass


try:
    try:
        raise ValueError("v")
    except CatchAll:
        print("caught by hook")
except ValueError as e:
    print("not caught by hook", isinstance(e, CatchAll))
