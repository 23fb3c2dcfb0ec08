# Native classes and builtin functions are for ever: what may be done with them, and what dies beside them.
import gc, sys, weakref, builtins, types
for x in (int, type, object, print, len, int.__dict__, int.__mro__, Exception, list.append, str.join):
    r=gc.get_referents(x)
print(gc.is_tracked(int), gc.is_tracked(1), gc.is_tracked([]), gc.is_tracked(print), gc.is_tracked(()), gc.is_tracked('a'))
for n in ('x',):
    try: setattr(int, n, 1)
    except TypeError as e: print(e)
    try: delattr(int, 'bit_length')
    except TypeError as e: print(e)
    try: int.__name__='y'
    except TypeError as e: print(e)
    try: int.__bases__=(object,)
    except TypeError as e: print(e)
    try: int.__dict__['a']=1
    except TypeError as e: print(e)
    try: print.x=1
    except AttributeError as e: print(e)
    try: len.__name__='y'
    except AttributeError as e: print(e)
    try: list.append.x=1
    except AttributeError as e: print(e)
old=builtins.len
builtins.len=lambda x: 42
print(len([1])); builtins.len=old; print(len([1]))
save=builtins.print
del builtins.abs
try: abs(-1)
except NameError as e: print(e)
builtins.abs=lambda x: 'mine'; print(abs(-1)); del builtins.abs
w=weakref.ref(len); print(w() is len); w2=weakref.ref(int); print(w2() is int)
class M(type): pass
class C(int, metaclass=M): pass
wc=weakref.ref(C); wm=weakref.ref(M)
print([c.__name__ for c in int.__subclasses__() if c.__name__ in('C','bool')])
del C, M; gc.collect(); print(wc(), wm(), [c.__name__ for c in int.__subclasses__() if c.__name__=='C'])
class D(list): 
    def __del__(s): print('D gone')
d=D(); d.append(d); d.me=d; del d; gc.collect()
import math
f=math.sqrt; wr=weakref.ref(math); 
del sys.modules['math']; del math; gc.collect(); print(f(4.0)); import math; print(math.sqrt(9))
class E(Exception): pass
e=E(1); e.args=(e,); we=weakref.ref(e); del e; gc.collect(); print(we())
gc.freeze(); print(gc.get_freeze_count()>0); gc.unfreeze(); print(gc.get_freeze_count())
objs=gc.get_objects(); print(any(o is objs for o in objs) in (True,False), len(objs)>10); del objs
class G: pass
g=G(); g.f=print; g.t=int; g.g=g; wg=weakref.ref(g); print(g in gc.get_referrers(print), [type(r).__name__ for r in gc.get_referrers(G) if type(r) is G]); del g; gc.collect(); print(wg())
print(sorted(x.__name__ for x in (bool,).__class__.__mro__))
def fn(): pass
fn.x=fn; wf=weakref.ref(fn); del fn; gc.collect(); print(wf())
t=type('T',(),{}); t.self=t; wt=weakref.ref(t); del t; gc.collect(); print(wt())
m=types.ModuleType('m'); m.m=m; wm=weakref.ref(m); del m; gc.collect(); print(wm())
n=types.SimpleNamespace(); n.n=n; n=None; print(gc.collect()>=1)
print(isinstance(sys.getrefcount(int), int), sys.getrefcount([]) )
bm=[].append; bm2=bm.__self__; bm2.append(bm); wl=None; del bm,bm2; print(gc.collect()>=1)
print(type(int.__dict__).__name__, type(len).__name__, type(list.append).__name__, type([].append).__name__, type(int.__add__).__name__, type((1).__add__).__name__, type(int.real).__name__, type(dict.fromkeys).__name__, type(object.__init__).__name__,type(int.from_bytes).__name__)
print(len.__self__ is builtins, len.__module__, [].append.__self__, len.__qualname__, [].append.__qualname__, dict.fromkeys.__qualname__)
print(repr(len), repr(list.append), repr(int.__add__))
