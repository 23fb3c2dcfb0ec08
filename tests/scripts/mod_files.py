# open: text and binary files, buffering, iteration, seeking, errors; io.StringIO and io.BytesIO.
import io
import os

path = "/tmp/tidepool_mod_files_%d.txt" % os.getpid()


def text():
    with open(path, "w") as f:
        print(f.write("one\ntwo\n"), f.write("th\u00e9 \u2603\n"), f.mode, f.closed, f.readable(), f.writable())
        f.writelines(["four\n", "five"])
    print(f.closed)
    with open(path) as f:
        print(f.read())
    with open(path) as f:
        print(f.readline(), f.readline(2), f.read(3), f.tell() > 0)
        print([line for line in f], f.readline(), f.read())
    with open(path) as f:
        print(f.readlines())
        f.seek(0)
        print(len(f.read()), next(iter(f), "end"))
    with open(path, "a") as f:
        f.write("!\n")
    for line in open(path):
        print(repr(line))
    with open(path, "r+") as f:
        f.write("ONE")
        f.seek(0)
        print(f.readline())
    with open(path, "wb") as f:
        f.write(b"a\r\nb\rc\n")
    print(repr(open(path).read()), repr(open(path, newline="").read()), open(path).readlines())


def binary():
    data = bytes(range(256)) * 1000
    with open(path, "wb") as f:
        print(f.write(data[:10]), f.write(memoryview(data)[10:]), f.tell())
    with open(path, "rb") as f:
        print(f.read() == data, f.read())
        print(f.seek(100), f.read(4), f.tell(), f.seek(-2, 2), f.read(), f.seek(0), len(f.read(100_000)))
        buffer = bytearray(6)
        f.seek(250)
        print(f.readinto(buffer), buffer)
    with open(path, "rb", buffering=0) as f:
        print(len(f.read(70_000)), f.read(3) == data[70_000:70_003], len(f.read()))
    with open("/dev/zero", "rb", buffering=0) as f:
        block = f.read(1 << 20)
        print(len(block), type(block).__name__, block == bytes(1 << 20))
    with open(path, "wb") as f:
        f.write(b"x\ny\n")
    print(list(open(path, "rb")), open(path, "rb").readline())
    with open(path, "rb+") as f:
        f.read(1)
        f.write(b"Z")
        f.seek(0)
        print(f.read())
    with open(path, "ab") as f:
        f.write(b"end")
    print(open(path, "rb").read())
    with open(path, "r+b") as f:
        print(f.truncate(2), f.read())


def errors():
    for args in (("/no/such/file",), (path, "q"), (path, "rw"), (path, "rtb"), ("/",), (path, "r", 0), (path, "x"), (5.5,),
                 (path, "rb", -1, "utf-8")):
        try:
            open(*args)
        except Exception as error:
            text = str(error).replace(path, "PATH")
            print(type(error).__name__ + ":", text)
    f = open(path)
    f.close()
    f.close()
    for call in (f.read, f.readline, lambda: next(f), lambda: f.write("x"), f.flush, f.__enter__, f.fileno):
        try:
            call()
        except ValueError as error:
            print("ValueError:", error)
    f = open(path)
    try:
        f.write("x")
    except OSError as error:
        print("OSError:", error)
    g = open(path, "w")
    try:
        g.read()
    except OSError as error:
        print("OSError:", error)
    try:
        g.write(5)
    except TypeError as error:
        print("TypeError:", error)
    g.close()
    with open(path, "wb") as f:
        try:
            f.write("text")
        except TypeError as error:
            print("TypeError:", error)
        f.write(b"\xff\xfe")
    try:
        open(path).read()
    except UnicodeDecodeError as error:
        print("UnicodeDecodeError:", error)


def strings():
    s = io.StringIO("a\nb\n")
    print(s.readline(), s.read(), s.getvalue())
    s = io.StringIO()
    print("x", 1, file=s, end="!")
    s.write("yz")
    print(s.getvalue(), s.tell())
    s.seek(0)
    print(list(s), s.read(5))
    with io.StringIO("line\nrest") as s:
        print([line for line in s])
    b = io.BytesIO(b"abc")
    print(b.read(2), b.read(), b.getvalue())
    b.write(b"de")
    print(b.getvalue(), b.seek(1), b.read())


try:
    for test in (text, binary, errors, strings):
        print("--", test.__name__)
        test()
finally:
    os.remove(path)
