# What a traceback underlines: comprehensions and displays as a whole, loops not at all.
import traceback
def boom(): 
    raise ValueError('x')
def it():
    yield 1
    raise ValueError('y')
class B:
    def __iter__(s): raise ValueError('iter')
def t(f):
    try: f()
    except Exception: print(traceback.format_exc().replace(__file__,'F'))
t(lambda: [x for x in it()])
t(lambda: {x for x in it()})
t(lambda: {x: 1 for x in it()})
t(lambda: [x for x in B()])
t(lambda: [boom() for x in range(2)])
t(lambda: [x for x in range(2) if boom()])
t(lambda: [y for x in range(2) for y in it()])
t(lambda: [y for x in range(2) for y in boom()])
t(lambda: [*it()])
t(lambda: [1, *it()])
t(lambda: (*it(), 1))
t(lambda: {*it()})
t(lambda: {**boom()})
t(lambda: dict(**boom()))
t(lambda: print(*it()))
t(lambda: print(*[1], *it()))
t(lambda: f"{boom()}")
t(lambda: f"a{boom()!r:>{boom()}}")
def m():
    a, b = it()
t(m)
def m():
    for x in it():
        pass
t(m)
def m():
    for x in boom():
        pass
t(m)
def m():
    x = y = boom()
t(m)
def m():
    d = {}
    d['a']['b'] = 1
t(m)
def m():
    o = object()
    o.a.b.c = 1
t(m)
def m():
    o = object()
    o.a = 1
t(m)
def m():
    x = [1]
    x[5] += 1
t(m)
def m():
    x = [1]
    del x[5]
t(m)
def m():
    with boom() as f:
        pass
t(m)
def m():
    assert 1 == 2, "text"
t(m)
def m():
    return 1 + \
        'a'
t(m)
def m():
    return (1,
        boom(
        ),
        3)
t(m)
def m():
    yield from it()
t(lambda: list(m()))
def m():
    x = 1 if boom() else 2
t(m)
def m():
    while boom():
        pass
t(m)
def m():
    import nothing_here
t(m)
def m():
    return undefined_name + 1
t(m)
def m():
    print(x); x = 1
t(m)
def m():
    lambda_ = lambda: 1/0
    lambda_()
t(m)
def m():
    raise KeyError from boom()
t(m)
def m():
    return -'a'
t(m)
def m():
    return 1 < 'a' < 3
t(m)
def m():
    return not boom()
t(m)
def m():
    return 1 in 2
t(m)
def m():
    return "é" + boom() + "ü"
t(m)
def m():
    global gx
    x: int = boom()
t(m)
def m():
    @boom
    def f(): pass
t(m)
def m():
    class K(boom()): pass
t(m)
def m():
    def f(a=boom()): pass
t(m)
def m():
    try: boom()
    except boom(): pass
t(m)
def m():
    return "x".join(str(i) for i in it())
t(m)
def m():
    return sorted((x for x in it()), key=lambda v: v)
t(m)
