# What runs at exit, in which order: registered and unregistered meanwhile, and finalizers of weakref among it.
import atexit, weakref
class C: pass
c = C()
keep = weakref.finalize(c, print, "finalizer")
def late(): print("late")
def one():
    print("one"); atexit.register(late)
atexit.register(one)
def gone(): print("gone")
atexit.register(gone)
def two():
    print("two"); atexit.unregister(gone)
atexit.register(two)
