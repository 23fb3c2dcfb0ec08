# stderr
# exit: 1
# What is out of scope says so. (Not compared with python3, which has all of it.)
# live: no
for name, function in (("exec", lambda: exec("x = 1")), ("eval", lambda: eval("1 + 1")), ("compile", lambda: compile("1", "f", "eval"))):
    try:
        function()
    except NotImplementedError as e:
        print(name, "->", e)
for module in ("asyncio", "re", "pickle", "socket"):
    try:
        __import__(module)
    except ImportError as e:
        print(type(e).__name__, e, e.name)
print(__import__("os.path").__name__, __import__("os.path", fromlist=["join"]).__name__)
import multiprocessing
