# Native recursion that is too deep is an error, not a crash, and so is a string that no machine can hold.
# CPython has other limits, so:
# live: no
def try_(f):
    try:
        return f()
    except (RecursionError, MemoryError) as e:
        return type(e).__name__
t=()
for i in range(100000): t=(t,)
print(try_(lambda: hash(t)), try_(lambda: isinstance(1,t)), try_(lambda: issubclass(int,t)))
it=iter([1])
for i in range(50000): it=map(lambda x:x,it)
print(try_(lambda: list(it)))
it=iter([1])
for i in range(50000): it=zip(it)
print(try_(lambda: next(it)))
print(try_(lambda: len("a"*10**12)))
