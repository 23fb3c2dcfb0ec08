# gc-stress: no
# Objects that cross threads: who destroys them, and when.
import gc
import threading
import weakref

gc.disable()


class Obj:
    def __init__(self, tag):
        self.tag = tag
        self.data = [tag] * 10


def call(f, *args):
    out = []
    t = threading.Thread(target=lambda: out.append(f(*args)))
    t.start()
    t.join()
    return out[0] if out else None


o = call(Obj, "made elsewhere")
w = weakref.ref(o)
print(o.tag, w() is o)
del o
print(w())
box = [Obj("mine")]
w = weakref.ref(box[0])
call(lambda: box.pop() and None)
gc.collect()
print(w())
objs = [Obj(i) for i in range(100)]
refs = [weakref.ref(o) for o in objs]
call(objs.clear)
gc.collect()
print(sum(r() is not None for r in refs))
made = call(lambda: [Obj(i) for i in range(100)])
refs = [weakref.ref(o) for o in made]
print(sum(r() is not None for r in refs), made[50].data[0])
made.clear()
print(sum(r() is not None for r in refs))


def cyc():
    a, b = Obj("a"), Obj("b")
    a.peer, b.peer = b, a
    return weakref.ref(a)


w = call(cyc)
print(w() is not None)
gc.collect()
print(w())
w = cyc()
call(gc.collect)
print(w())
started, go, done = threading.Event(), threading.Event(), []


def holder():
    mine = Obj("held")
    done.append(weakref.ref(mine))
    started.set()
    go.wait()
    done.append(mine.tag)


t = threading.Thread(target=holder)
t.start()
started.wait()
gc.collect()
print(done[0]() is not None)
go.set()
t.join()
gc.collect()
print(done[0](), done[1])
deaths = []


class D:
    def __init__(self, i):
        self.i = i

    def __del__(self):
        deaths.append(self.i)


shared = [D(i) for i in range(200)]
threads = []


def taker():
    while True:
        try:
            x = shared.pop()
        except IndexError:
            return
        del x


for _ in range(4):
    threads.append(threading.Thread(target=taker))
for t in threads:
    t.start()
for t in threads:
    t.join()
del t
gc.collect()
print(len(deaths), sorted(deaths) == list(range(200)))


class Arg:
    pass


a = Arg()
w = weakref.ref(a)
t = threading.Thread(target=lambda x: None, args=(a,))
del a
t.start()
t.join()
print(w())
lists = [[] for _ in range(3)]


def ring(i):
    for k in range(300):
        lists[(i + 1) % 3].append(Obj((i, k)))
        try:
            lists[i].pop(0)
        except IndexError:
            pass


threads = [threading.Thread(target=ring, args=(i,)) for i in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
left = [x for l in lists for x in l]
print(all(x.data == [x.tag] * 10 for x in left))
gen = call(lambda: (i * 10 for i in range(5)))
print(next(gen), call(next, gen), list(gen))
f = call(lambda: lambda x: x + 1)
print(f(1))
try:
    exc = call(lambda: Exception("carried"))
    raise exc
except Exception as e:
    print(e)
