# Builtins over generators that raise, are entered again, are closed, and change what is filled.
import gc, sys, threading
def gen(n, boom=None, log=None):
    try:
        for i in range(n):
            if i == boom: raise KeyError(i)
            yield i
    finally:
        if log is not None: log.append('fin')
for f in [sum, any, all, min, max, list, tuple, set, sorted, frozenset, dict.fromkeys, bytes, bytearray, lambda g: ','.join(map(str, g)), lambda g: b''.join(bytes([x]) for x in g), lambda g: [].extend(g), lambda g: set().update(g), lambda g: [*g], lambda g: {*g}, lambda g: (lambda *a: len(a))(*g), lambda g: 3 in g, lambda g: next(g), lambda g: list(zip(g, g)), lambda g: list(enumerate(g)), lambda g: dict(zip(g, g))]:
    log = []
    for boom in (None, 0, 3):
        try: print(f(gen(7, boom, log)))
        except Exception as e: print(type(e).__name__, e)
    print(log)
# reentry
def reenter():
    yield 1
    yield sum(g)
g = reenter()
try: print(list(g))
except ValueError as e: print(e)
g = reenter()
try: print(sum(g))
except ValueError as e: print(e)
# mutate the container while filled
l = [1,2,3]
def mut():
    for i in range(5):
        l.append(i); yield i
    l.clear()
l.extend(mut()); print(l)
l = [1,2,3]
def mut2():
    for i in range(3):
        l.pop() if l else None
        yield i
l += mut2(); print(l)
l=[1,2,3,4]
def mut3():
    for i in range(3):
        del l[:]
        yield i
try:
    l[1:2] = mut3(); print(l)
except Exception as e: print(type(e), e)
s = {1}
def ms():
    for i in range(50):
        s.discard(i-1); yield i
s.update(ms()); print(sorted(s))
d = {}
def md():
    for i in range(5):
        d[i*10] = 1
        yield i, i
d.update(md()); print(d)
# close inside
def c():
    for i in range(5):
        if i == 2: g2.close()
        yield i
g2 = c()
try: print(list(g2))
except ValueError as e: print(e)
# traceback through
import traceback
def deep():
    yield 1
    1/0
def outer():
    return sum(x for x in deep())
try: outer()
except ZeroDivisionError: print(traceback.format_exc().replace(__file__, 'F'))
def outer2():
    return [*map(lambda x: x, (y for y in deep()))]
try: outer2()
except ZeroDivisionError: print(traceback.format_exc().replace(__file__, 'F'))
# StopIteration inside generator
def si():
    yield 1
    raise StopIteration(5)
for f in (list, sum, tuple, sorted, set, max):
    try: f(si())
    except RuntimeError as e: print(e, repr(e.__cause__))
# yield from + return values
def yf():
    r = yield from gen(3)
    print('r', r)
    return 7
def yy():
    x = yield from yf()
    print('x', x)
    yield x
print(list(yy()), sum(yy()))
# gc in generator
def gg():
    for i in range(3):
        gc.collect(); yield [i]*2
print(sum(gg(), []))
print(max(gg(), key=lambda x: -x[0]), min((x for x in [3,1,2]), default=9), max((), default=4))
try: max(())
except ValueError as e: print(e)
try: min(x for x in ())
except ValueError as e: print(e)
# ints that overflow
print(sum(1<<62 for _ in range(5)), sum(0.1 for _ in range(10)), sum((x for x in [1, 2.5, 3]), 10), sum(True for _ in range(3)))
class A:
    def __radd__(s, o): return ('r', o)
    def __add__(s, o): return 'a'
try: print(sum([A()]), sum((A() for _ in range(1)), 5))
except TypeError as e: print(e)
try: sum(x for x in 'ab')
except TypeError as e: print(e)
try: sum(['a'], '')
except TypeError as e: print(e)
# frames & locals kept alive
class D:
    def __init__(s, n): s.n = n
    def __del__(s): print('del', s.n)
def held():
    d = D('in gen'); yield 1; yield 2
it = held(); print(next(it)); it = None
print(any(x == 1 for x in held())); print('after any')
print(all(x == 1 for x in held())); print('after all')
def err():
    d = D('e'); yield 1; raise ValueError('v')
try: list(err())
except ValueError as e: print('caught'); 
print('end')
a, *b = (x for x in range(4)); print(a, b)
try: a, c1 = (x for x in range(4))
except ValueError as e: print(e)
try: a, c1, d1, e1, f1 = (x for x in range(4))
except ValueError as e: print(e)
