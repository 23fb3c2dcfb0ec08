# Threads that only read a bytearray do not keep another one from changing its size: no BufferError, and
# what a reader sees is a bytearray of some moment. A memoryview does, as it says.
import threading

b = bytearray(b"ab" * 50)
stop = threading.Event()
errors = []


def read():
    while not stop.is_set():
        try:
            b.find(b"zz")
            b.count(b"ab")
            b == b"x" * 100
            bytes(b)
            b.startswith(b"ab")
            b.hex()
        except Exception as e:
            errors.append(type(e).__name__)


def write():
    try:
        for i in range(3000):
            b.append(97)
            b.extend(b"ab" * (i % 7))
            del b[10:]
            b.extend(b"ab" * 45)
            b[0:2] = b"abab"
            del b[0:2]
    except Exception as e:
        errors.append(type(e).__name__)


readers = [threading.Thread(target=read) for _ in range(2)]
for t in readers:
    t.start()
writer = threading.Thread(target=write)
writer.start()
writer.join()
stop.set()
for t in readers:
    t.join()
print(errors, len(b), b == bytearray(b"ab" * 50))
view = memoryview(b)
try:
    b.append(1)
except BufferError as e:
    print("BufferError:", e)
view.release()
b.append(1)
print(len(b))
