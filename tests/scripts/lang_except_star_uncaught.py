# An exception group that nobody catches.
# exit: 1
# stderr
print("before")
try:
    raise ValueError("first")
except ValueError:
    raise BaseExceptionGroup("last", [ValueError(1), ExceptionGroup("two", [TypeError("x"), KeyError("y")]), KeyboardInterrupt()])
