# zlib, ctypes, resource, faulthandler, subprocess, atexit.
import atexit
import ctypes
import faulthandler
import resource
import subprocess
import sys
import zlib

print(zlib.crc32(b""), zlib.crc32(b"hello"), zlib.crc32(b"lo", zlib.crc32(b"hel")), zlib.crc32(bytes(range(256)) * 1000))
print(zlib.crc32(bytearray(b"hello")), zlib.crc32(memoryview(b"xhello")[1:]), zlib.crc32(b"a", -1), zlib.adler32(b"hello"))
try:
    zlib.crc32("text")
except TypeError as error:
    print("TypeError:", error)

x = object()
print(ctypes.c_size_t.from_address(id(x)).value > 0, ctypes.c_size_t(5).value)

u = resource.getrusage(resource.RUSAGE_SELF)
print(u.ru_maxrss > 1000, u.ru_utime >= 0, u.ru_stime >= 0)

faulthandler.enable()
faulthandler.dump_traceback_later(60, exit=True)
faulthandler.cancel_dump_traceback_later()

done = subprocess.run(["sh", "-c", "echo out; echo err >&2; exit 3"], capture_output=True, text=True)
print(done.returncode, repr(done.stdout), repr(done.stderr), done)
done = subprocess.run(["cat"], input=b"bytes in", stdout=subprocess.PIPE)
print(done.stdout, done.stderr)
print(subprocess.check_output(["echo", "hi"]), subprocess.run(["true"]).returncode)
try:
    subprocess.run(["false"], check=True)
except subprocess.CalledProcessError as error:
    print("CalledProcessError:", error)
try:
    subprocess.run(["/no/such/program"])
except FileNotFoundError as error:
    print("FileNotFoundError:", error)
try:
    subprocess.run(["sleep", "60"], timeout=0.05)
except subprocess.TimeoutExpired as error:
    print("TimeoutExpired:", error.cmd)
print(subprocess.run(["sh", "-c", "echo $WORD"], env={"WORD": "w"}, capture_output=True, text=True).stdout)
done = subprocess.run([sys.executable, "-c", "import sys; print(sys.argv[1:])", "a", "b"], capture_output=True, text=True)
print(done.stdout, end="")

atexit.register(print, "first registered, last called")
atexit.register(lambda: print("last registered, first called"))
