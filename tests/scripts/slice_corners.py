# Slices that change places, overlap, and change under the hands of __index__.
class I:
    def __init__(s, v, f=None): s.v=v; s.f=f
    def __index__(s):
        if s.f: s.f()
        return s.v
l=list(range(10))
l[2:5], l[5:8] = l[5:8], l[2:5]; print(l)
l[::2], l[1::2] = l[1::2], l[::2]; print(l)
try: l[::2], l[1::3] = l[1::3], l[::2]
except ValueError as e: print(e)
print(l)
l[1], l[2] = l[2], l[1]; print(l)
l[:] = l; print(l); l[:] = l[::-1]; print(l)
l[3:3] = l; print(l)
l[5:1] = 'ab'; print(l)
del l[::3]; print(l)
l=list(range(6)); l[I(1, lambda: l.clear()):I(4)] = [9,9]; print(l)
l=list(range(6))
try: l[I(4, lambda: l.clear())] = 5; print(l)
except IndexError as e: print(e)
l=list(range(6))
try: print(l[I(4, lambda: l.clear())])
except IndexError as e: print(e)
l=list(range(6)); print(l[I(1, lambda: l.clear()):I(5)])
l=list(range(6)); print(l[I(1):I(5, lambda: l.extend([7]*5)):I(2)])
l=list(range(6)); del l[I(1, lambda: l.clear()):I(5)]; print(l)
l=list(range(6))
try: l[::I(2, lambda: l.clear())] = [1,2,3]; print(l)
except ValueError as e: print(e)
for bad in ('a', 1.5, None, [1]):
    try: l[bad]
    except TypeError as e: print(e)
    try: l[bad] = 1
    except TypeError as e: print(e)
    try: l[bad:2]
    except TypeError as e: print(e)
try: l[1:2] = 5
except TypeError as e: print(e)
try: l[::2] = 5
except TypeError as e: print(e)
try: l[::0]
except ValueError as e: print(e)
try: l[::0] = []
except ValueError as e: print(e)
class Z(list):
    def __setitem__(s,k,v): print('set',k,v); super().__setitem__(k,v)
    def __getitem__(s,k): print('get',k); return super().__getitem__(k)
z=Z(range(6)); z[1:3], z[3:5] = z[3:5], z[1:3]; print(z)
z[0], z[1] = z[1], z[0]; print(z)
b=bytearray(b'abcdef'); b[1:3], b[3:5] = b[3:5], b[1:3]; print(b)
b[:] = b; print(b); b[2:2]=b; print(b); b[::2]=b'x'*len(b[::2]); print(b)
try: b[::2]=b'x'
except ValueError as e: print(e)
try: b[0]=256
except ValueError as e: print(e)
b[1:3]=[1,2,3]; print(b)
try: b[1:3]=[1,'a']
except TypeError as e: print(e)
try: b[1:3]='ab'
except TypeError as e: print(e)
m=memoryview(b)
try: b.extend(b'x')
except BufferError as e: print(e)
try: del b[0]
except BufferError as e: print(e)
m[1:3]=b'ZZ'; print(b, m[1:3].tolist(), bytes(m[::2]))
try: m[1:3]=b'Z'
except ValueError as e: print(e)
m.release(); b.extend(b'x'); print(b)
from array import array
a=array('i',range(8)); a[1:3],a[4:6]=a[4:6],a[1:3]; print(a); a[::2]=array('i',[0]*4); print(a)
try: a[1:2]=[3]
except TypeError as e: print(e)
try: a[1:2]=array('d',[3])
except TypeError as e: print(e)
from collections import deque
d=deque(range(6)); d[0],d[1]=d[1],d[0]; print(d)
try: d[0:2]
except TypeError as e: print(e)
t=(1,2,3)
try: t[0]=1
except TypeError as e: print(e)
try: del t[0]
except TypeError as e: print(e)
x=[1,2,3]; i=0; i, x[i] = 1, 9; print(i,x)
x=[[1],[2]]; x[0], x[0][0] = x[1], 5; print(x)
x=list(range(5)); x[0:2], x = [7], x; print(x)
def it():
    yield 1; y.clear(); yield 2
y=list(range(5)); y[1:3]=it(); print(y)
y=list(range(5))
for v in y:
    if v<3: y[0:1]=[]
print(y)
y=[1,2,3]; y*=2; print(y); y*=0; print(y); y*=-1; print(y)
print([1,2,3][slice(None,None,-1)], 'abc'[::-1], (1,2,3)[5:], range(10)[2:8:3], range(10)[::-1], b'abc'[-2:])
s=slice(1,None); print(s, s.indices(5), slice(-1,-10,-2).indices(5), slice(1,2)==slice(1,2))
