# sys, time and os.
import os
import sys
import time

print(len(sys.argv), sys.platform, sys.maxsize, sys.byteorder, sys.version_info[:2], sys.version_info >= (3, 8))
print(isinstance(sys.implementation.name, str), sys.getrecursionlimit() >= 1000, sys.getswitchinterval() > 0)
x = object()
print(sys.getrefcount(x), sys.intern("ab" + "c") is sys.intern("abc"))
y = [x, x]
print(sys.getrefcount(x))
print(sys.exc_info())
try:
    1 / 0
except ZeroDivisionError as error:
    print(sys.exc_info()[0].__name__, sys.exc_info()[1] is error, sys.exc_info()[2] is error.__traceback__)
print(sys.exc_info())
for code in (None, 3, "text"):
    try:
        sys.exit(code)
    except SystemExit as stop:
        print(stop.code)
try:
    sys.exit()
except SystemExit as stop:
    print(stop.code)
sys.setrecursionlimit(sys.getrecursionlimit())
sys.setswitchinterval(0.01)
print(sys.getswitchinterval())
sys.stdout.write("written\n")
print(sys.stdout.write("") == 0, sys.stdout.isatty(), sys.stdout.fileno(), sys.stdout.writable(), sys.stdout.encoding)
sys.stdout.flush()
print("modules" , "sys" in sys.modules, "time" in sys.modules)
print(sys.maxunicode, sys.float_info.max, "x" in dir(sys) or True)
try:
    sys.setrecursionlimit(0)
except ValueError as error:
    print("ValueError:", error)

print("-- time")
a = time.time()
print(a > 1_600_000_000, isinstance(time.time_ns(), int))
p, n, m = time.perf_counter(), time.perf_counter_ns(), time.monotonic()
time.sleep(0.02)
print(0.019 < time.perf_counter() - p < 10, time.perf_counter_ns() - n > 19_000_000, time.monotonic() - m > 0.019)
c = time.process_time()
while time.process_time() - c < 0.01:
    sum(range(100))
print(time.process_time() > c)
for bad in (-1, "x"):
    try:
        time.sleep(bad)
    except (ValueError, TypeError) as error:
        print(type(error).__name__)
time.sleep(0)

print("-- os")
print(os.getpid() > 1, os.cpu_count() >= 1, os.environ.get("NO_SUCH_NAME"), os.environ.get("NO_SUCH_NAME", "x"), "PATH" in os.environ)
print(os.path.join("a", "b", "/c", "d"), os.path.join("a/", "b"), os.path.join("", "x"), os.path.dirname("/a/b/c.py"),
      os.path.basename("/a/b/c.py"), os.path.splitext("a.b/c.tar.gz"), os.path.splitext(".rc"), os.path.split("/a"))
print(os.path.exists("/"), os.path.exists("/no/such"), os.path.isdir("/"), os.path.isfile("/"), os.path.isabs("/x"),
      os.path.normpath("/a/./b/../c//d"), os.path.normpath("../x/.."), os.path.abspath("/q/../r"))
print(len(os.urandom(8)), os.sep, os.linesep == "\n", os.name, os.getenv("NO_SUCH_NAME", 5))
os.environ["TIDEPOOL_TEST_WORD"] = "w"
print(os.environ["TIDEPOOL_TEST_WORD"], os.getenv("TIDEPOOL_TEST_WORD"))
del os.environ["TIDEPOOL_TEST_WORD"]
print("TIDEPOOL_TEST_WORD" in os.environ)
try:
    os.remove("/no/such/file")
except FileNotFoundError as error:
    print("FileNotFoundError:", error)
