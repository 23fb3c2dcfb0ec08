# Classes: attributes, methods, inheritance, super, class and static methods.
class A:
    """Doc of A."""
    count = 0
    items = []

    def __init__(self, x, y=2):
        self.x = x
        self.y = y
        A.count += 1

    def total(self):
        return self.x + self.y

    def __repr__(self):
        return f"{type(self).__name__}({self.x}, {self.y})"

    @classmethod
    def make(cls, v):
        return cls(v, v)

    @staticmethod
    def helper(a, b=10):
        return a * b

    @property
    def area(self):
        return self.x * self.y

    @area.setter
    def area(self, v):
        self.x = v
        self.y = 1

    @area.deleter
    def area(self):
        print("deleting area")


a = A(3)
print(a, a.x, a.y, a.total(), A.total(a), A.count, a.count, A.make(4), a.make(5), A.helper(2), a.helper(2, 3), a.area)
a.area = 50
del a.area
print(a, a.area, a.__class__, a.__dict__, A.__name__, A.__doc__, A.__module__, A.__qualname__, type(a) is A, isinstance(a, A), isinstance(a, (int, A)), isinstance(1, A))
a.count = 99
a.new = "n"
print(a.count, A.count, a.new, hasattr(a, "new"), hasattr(a, "zzz"), getattr(a, "zzz", "default"), vars(a))
del a.count
del a.new
print(a.count, getattr(a, "x"), sorted(a.__dict__))
setattr(a, "dyn", 1)
delattr(a, "dyn")
A.later = lambda self, n: self.x + n
print(a.later(5), A.items is a.items)
a.items.append(1)
print(A.items)


class B(A):
    def __init__(self, x):
        super().__init__(x, 100)
        self.z = "z"

    def total(self):
        return super().total() + 1000

    @classmethod
    def make(cls, v):
        obj = cls(v)
        obj.made = True
        return obj


class C(B):
    count = "own"

    def total(self):
        return super(C, self).total() * 2, B.total(self), A.total(self)


b, c = B(1), C(2)
print(b, b.total(), c.total(), c.count, B.make(3).made, C.make(4), issubclass(C, A), issubclass(A, C), issubclass(C, (int, B)), C.__bases__, C.__mro__, B.__base__, C.mro() == list(C.__mro__), isinstance(c, A))


class X:
    def who(self):
        return ["X"]


class Y(X):
    def who(self):
        return ["Y"] + super().who()


class Z(X):
    def who(self):
        return ["Z"] + super().who()


class W(Y, Z):
    def who(self):
        return ["W"] + super().who()


print(W().who(), [k.__name__ for k in W.__mro__])
try:
    class Bad(X, Y):
        pass
except TypeError as e:
    print("TypeError:", str(e).split("\n")[0])
m = a.total
print(m(), m.__self__ is a, m.__func__ is A.total, m == a.total, m.__name__, hash(m) == hash(a.total), A.total is A.total)
for bad in (lambda: a.nope, lambda: A.nope, lambda: A(), lambda: A(1, 2, 3), lambda: a(), lambda: A.total(), lambda: a + 1, lambda: a < a, lambda: a[0], lambda: len(a), lambda: next(a), lambda: iter(a), lambda: object().x, lambda: object(1), lambda: int.foo, lambda: 1 in a, lambda: -a, lambda: float(a), lambda: issubclass(1, A), lambda: isinstance(1, 1), lambda: super().x, lambda: a.__nope__, lambda: None.x):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)
try:
    a.total.x = 1
except AttributeError as e:
    print("AttributeError:", e)
try:
    (5).x = 1
except AttributeError as e:
    print("AttributeError:", e)
try:
    int.x = 1
except TypeError as e:
    print("TypeError:", e)
try:
    del a.zzz
except AttributeError as e:
    print("AttributeError:", e)


class P:
    __private = 1

    def __init__(self):
        self.__v = 2

    def get(self):
        return self.__v, self.__private, P.__private

    def __hidden(self):
        return "hidden"

    def call(self):
        return self.__hidden()


p = P()
print(p.get(), p.call(), p._P__v, sorted(vars(p)), hasattr(p, "__v"))


def factory(n):
    class Inner:
        k = n

        def get(self):
            return n + self.k
    return Inner


I1, I2 = factory(1), factory(2)
print(I1().get(), I2().get(), I1 is I2, I1.__qualname__, I1.__name__)
D = type("D", (A,), {"extra": 7, "m": lambda self: self.x * 7})
print(D(2).m(), D.extra, D.__name__, D(1))
a.__class__ = D
print(a.m(), type(a).__name__)
a.__dict__ = {"x": 1, "y": 2}
print(a, a.m())


class E:
    a = 1
    b = a + 1
    for i in range(3):
        c = i
    if b > 1:
        def cond(self):
            return "cond"
    del i


print(E.b, E.c, E().cond(), hasattr(E, "i"), sorted(k for k in E.__dict__ if not k.startswith("__")))
print(object() != object(), object.__name__, type(type), type(1), type("a").__name__, type(None), type(a.total), type(len), type(lambda: 0), type(A), str(A), type(E.__dict__).__name__)
