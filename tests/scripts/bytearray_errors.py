# What bytearrays and arrays take, and what they say of the rest.
b=bytearray(b'abc')
for v in (5, 'x', 1.5, None, [1,'a'], [300], object()):
    for f in ('b[0:1]=v', 'b.extend(v)', 'b+v', 'b+=v', 'b[0]=v', 'b[::2]=v'):
        try:
            if f=='b[0:1]=v': b[0:1]=v
            elif f=='b.extend(v)': b.extend(v)
            elif f=='b+v': b+v
            elif f=='b+=v': b+=v
            elif f=='b[0]=v': b[0]=v
            elif f=='b[::2]=v': b[::2]=v
            print(f, repr(v)[:8], bytes(b))
        except Exception as e: print(f, repr(v)[:8], type(e).__name__, e)
        b=bytearray(b'abc')
b=bytearray(b'abc')
b.extend(''); b.extend([65]); b.extend(b'z'); b.extend(bytearray(b'q')); b.extend(x for x in (66,67)); b.extend(memoryview(b'mm'))
class S:
    def __getitem__(s,i):
        if i>2: raise IndexError
        return 70+i
b.extend(S()); print(b)
class N:
    def __index__(s): return 3
for f in (lambda: b.extend(N()), lambda: b.__setitem__(slice(0,1), N())):
    try: f(); print(b)
    except TypeError as e: print(e)
print([c.__name__ for c in int.__subclasses__()][:1], [c.__name__ for c in ArithmeticError.__subclasses__()])
from array import array
try: array('i',[1,2])[0:1]=array('d',[1])
except TypeError as e: print(e)
