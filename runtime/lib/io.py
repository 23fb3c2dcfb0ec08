"""Streams: files are native; here are those in memory."""

from _io import open, TextIOWrapper, BufferedReader, BufferedWriter, BufferedRandom, FileIO, DEFAULT_BUFFER_SIZE

SEEK_SET = 0
SEEK_CUR = 1
SEEK_END = 2


class UnsupportedOperation(OSError, ValueError):
    pass


class _Memory:
    """What StringIO and BytesIO share: a position in what has been written."""

    _newline = None     # of the kind of the content
    _empty = None

    def _check(self):
        if self.closed:
            raise ValueError("I/O operation on closed file")

    def getvalue(self):
        self._check()
        self._join()
        return self._value

    def _join(self):
        """Appended parts are joined when somebody looks."""
        if self._parts:
            self._value = self._value + self._empty.join(self._parts)
            self._parts = []

    def write(self, data):
        self._check()
        size = len(data)
        if self._position == len(self._value) + self._extra:
            # At the end, the usual case: remember the part only.
            self._parts.append(data)
            self._extra += size
        else:
            self._join()
            self._extra = 0
            value = self._value
            if self._position > len(value):
                value = value + self._fill * (self._position - len(value))
            self._value = value[:self._position] + data + value[self._position + size:]
        self._position += size
        return size

    def read(self, size=-1):
        self._check()
        self._join()
        self._extra = 0
        value = self._value
        end = len(value) if size is None or size < 0 else self._position + size
        data = value[self._position:end]
        self._position += len(data)
        return data

    def readline(self, size=-1):
        self._check()
        self._join()
        self._extra = 0
        value = self._value
        end = value.find(self._newline, self._position) + 1
        if end == 0:
            end = len(value)
        if size is not None and size >= 0:
            end = min(end, self._position + size)
        data = value[self._position:end]
        self._position += len(data)
        return data

    def readlines(self, hint=None):
        return list(self)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def __iter__(self):
        self._check()
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def seek(self, offset, whence=0):
        self._check()
        self._join()
        self._extra = 0
        if whence == 1:
            offset += self._position
        elif whence == 2:
            offset += len(self._value)
        if offset < 0:
            raise ValueError("Negative seek position %d" % offset)
        self._position = offset
        return offset

    def tell(self):
        self._check()
        return self._position

    def truncate(self, size=None):
        self._check()
        self._join()
        self._extra = 0
        if size is None:
            size = self._position
        self._value = self._value[:size]
        return size

    def flush(self):
        self._check()

    def close(self):
        self.closed = True

    def readable(self):
        return True

    def writable(self):
        return True

    def seekable(self):
        return True

    def isatty(self):
        return False

    def __enter__(self):
        self._check()
        return self

    def __exit__(self, kind, value, traceback):
        self.close()


class StringIO(_Memory):
    _newline = "\n"
    _empty = ""
    _fill = "\0"

    def __init__(self, initial_value="", newline="\n"):
        self._newlines = newline is None
        self._value = self._translated(initial_value or "")
        self._parts = []
        self._extra = 0
        self._position = 0
        self.closed = False

    def write(self, data):
        if not isinstance(data, str):
            raise TypeError("string argument expected, got %r" % type(data).__name__)
        _Memory.write(self, self._translated(data))
        return len(data)

    def _translated(self, text):
        """With newline=None every end of a line is read as a newline."""
        return text.replace("\r\n", "\n").replace("\r", "\n") if self._newlines and "\r" in text else text


class BytesIO(_Memory):
    _newline = b"\n"
    _empty = b""
    _fill = b"\0"

    def __init__(self, initial_bytes=b""):
        self._value = bytes(initial_bytes)
        self._parts = []
        self._extra = 0
        self._position = 0
        self.closed = False

    def write(self, data):
        if isinstance(data, str):
            raise TypeError("a bytes-like object is required, not 'str'")
        return _Memory.write(self, bytes(data))

    def getbuffer(self):
        return memoryview(self.getvalue())
