# When temporaries, arguments and replaced values die: at once, in order.
import gc

gc.disable()
log = []


class Obj:
    def __init__(self, tag):
        self.tag = tag

    def __del__(self):
        log.append(self.tag)

    def me(self):
        return self

    def __add__(self, other):
        return Obj(self.tag + "+" + other.tag)

    def __iadd__(self, other):
        self.tag += other.tag
        return self

    def __getitem__(self, i):
        return Obj("%s[%s]" % (self.tag, i))

    def __call__(self, *args, **kwargs):
        return len(args) + len(kwargs)

    def __enter__(self):
        return Obj("entered " + self.tag)

    def __exit__(self, *args):
        log.append("exit")


def flush(what):
    print(what, log)
    log.clear()


def take(x):
    log.append("taken")


take(Obj("arg"))
flush("call")
Obj("statement")
flush("statement")
Obj("chain").me().me()
flush("chain")
x = Obj("a") + Obj("b")
flush("sum")
x = Obj("c")
flush("replaced")
x += Obj("d")
flush("in place")
x = None
flush("none")
Obj("base")[1][2]
flush("subscripts")
print(Obj("f")(Obj("1"), *[Obj("2")], k=Obj("3")))
flush("stars")
a, b = Obj("left"), Obj("right")
a, b = b, a
flush("swap")
del a
flush("del")
b = 1
flush("b")
lst = [Obj("l0"), Obj("l1"), Obj("l2")]
lst[1] = None
flush("item")
lst[0:2] = []
flush("slice")
lst.clear()
flush("clear")
d = {"k": Obj("v1")}
d["k"] = Obj("v2")
flush("value")
d.update(k=Obj("v3"))
flush("update")
d.pop("k")
flush("pop")
d[Obj("key")] = 1
d.clear()
flush("key")
s = {Obj("member")}
s.pop()
flush("set")
for i in [Obj("x"), Obj("y")]:
    log.append("turn")
flush("for")
i = None
flush("after")
[o.tag for o in [Obj("p"), Obj("q")]]
flush("comprehension")
print([o.tag for o in (Obj(t) for t in "rst")])
flush("generator")
with Obj("w") as inner:
    log.append("body")
flush("with")
inner = None
flush("inner")
print("yes" if Obj("cond") else "no", Obj("t") and 1, not Obj("n"))
flush("tests")
print(f"{Obj('fs').tag} {Obj('ft').tag!r}")
flush("f-string")


def defaults(x=Obj("default")):
    return x.tag


print(defaults(), defaults(Obj("given")))
flush("default")


def returns():
    local = Obj("local")
    return local.tag


returns()
flush("return")


def nested(n):
    o = Obj("n%d" % n)
    if n:
        nested(n - 1)
    log.append("leave%d" % n)


nested(2)
flush("nested")
class C:
    attr = Obj("class attribute")


C.attr = 5
flush("class")
c = C()
c.x, c.y = Obj("x"), Obj("y")
del c.x
flush("attribute")
c = None
flush("instance")
print(sorted([Obj("2"), Obj("1")], key=lambda o: o.tag)[0].tag)
log.sort()
flush("sorted")
t = (Obj("t0"), (Obj("t1"),))
t = None
log.sort()
flush("tuple")
# Nothing is left for the end of the program.
defaults = None
gc.collect()
flush("function")
