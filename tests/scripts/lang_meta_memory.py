# Classes and metaclasses as garbage: nothing may be left, nothing may go too early.
import gc
import weakref

gc.collect()


class Meta(type):
    def __del__(cls):
        log.append("del " + cls.__name__)


log = []


def classes_in(module_name):
    return sorted([c.__name__ for c in gc.get_objects() if isinstance(c, type) and c.__module__ == module_name])


print("-- a class with its instances")


def make():
    class Local:
        def __init__(self):
            self.me = self
            self.kind = Local
    return [Local() for _ in range(5)]


things = make()
refs = [weakref.ref(t) for t in things] + [weakref.ref(type(things[0]))]
del things
gc.collect()
print([r() for r in refs])

print("-- a metaclass, its classes, their instances: all in one cycle")


def make():
    class LocalMeta(type):
        members = []

        def __new__(mcls, name, bases, ns):
            cls = super().__new__(mcls, name, bases, ns)
            mcls.members.append(cls)
            return cls

    class X(metaclass=LocalMeta):
        pass

    class Y(X):
        instance = None

    Y.instance = Y()
    Y.instance.meta = LocalMeta
    X.partner = Y
    return LocalMeta, X, Y, Y.instance


made = make()
refs = [weakref.ref(m) for m in made]
del made
gc.collect()
print([r() for r in refs])

print("-- a metaclass of a metaclass")


def make():
    class Top(type):
        pass

    class Middle(type, metaclass=Top):
        pass

    class Bottom(metaclass=Middle):
        pass
    b = Bottom()
    return weakref.ref(Top), weakref.ref(Middle), weakref.ref(Bottom), weakref.ref(b)


refs = make()
gc.collect()
print([r() for r in refs])

print("-- an instance alive keeps class and metaclass alive")


def make():
    class KeepMeta(type):
        def hello(cls):
            return "hello " + cls.__name__

    class Kept(metaclass=KeepMeta):
        pass
    return Kept()


k = make()
r = weakref.ref(type(k)), weakref.ref(type(type(k)))
gc.collect()
print(type(k).hello(), r[0]().__name__, r[1]().__name__)
del k
gc.collect()
print(r[0](), r[1]())

print("-- finalizers see their classes whole")


def make():
    class Ring:
        size = 3

        def __init__(self):
            self.ring = self

        def __del__(self):
            log.append("%s %d %s" % (type(self).__name__, self.size, type(type(self)).__name__))

    class Sub(Ring, metaclass=Meta):
        pass
    Ring()
    Sub()


log.clear()
make()
gc.collect()
gc.collect()
print(sorted(log))

print("-- resurrected by its finalizer, with class and metaclass")
saved = []


def make():
    class PhoenixMeta(type):
        motto = "again"

    class Phoenix(metaclass=PhoenixMeta):
        def __init__(self):
            self.loop = self

        def __del__(self):
            saved.append(self)
    Phoenix()


make()
gc.collect()
p = saved.pop()
print(type(p).__name__, type(p).motto, gc.is_finalized(p))
r = weakref.ref(p), weakref.ref(type(p))
del p
gc.collect()
print([x() for x in r], saved)

print("-- subclasses are known weakly")


class Root:
    pass


def make():
    class Child(Root):
        pass
    class GrandChild(Child):
        pass
    return [c.__name__ for c in Root.__subclasses__()]


print(make())
gc.collect()
print(Root.__subclasses__())

print("-- a class that is dropped while its method runs")


def make():
    class Suicidal:
        def run(self):
            holder.clear()
            gc.collect()
            return __class__.__name__, self.value
        value = 5
    holder.append(Suicidal())


holder = []
make()
print(holder[0].run())

print("-- __init_subclass__ that refuses")
tried = []


class Picky:
    def __init_subclass__(cls):
        tried.append(weakref.ref(cls))
        raise ValueError("no subclasses")


for _ in range(10):
    try:
        class Wrong(Picky):
            pass
    except ValueError:
        pass
gc.collect()
print(len(tried), [t() for t in tried] == [None] * 10)

print("-- many classes")
before = len(classes_in("__main__"))


def churn(n):
    for i in range(n):
        cls = type("T%d" % i, (Root,), {"f": lambda self: cls})
        assert cls().f() is cls
        Meta("M%d" % i, (), {"i": i})


churn(100)
gc.collect()
gc.collect()
print(len(classes_in("__main__")) - before, len(set(log)) > 90)
