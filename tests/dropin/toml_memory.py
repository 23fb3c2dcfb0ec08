"""Parses much TOML and says what is resident: before, at most, and after it was dropped.

usage: toml_memory.py [MEGABYTES]     4 if not given
Prints, in MiB: the size before, the most while parsing, that after the result was dropped
and two idle seconds; and the CPU seconds of the parsing.
"""
import gc
import resource
import sys
import time
import tomllib


def resident(key):
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith(key):
                return int(line.split()[1]) / 1024
    return 0.0


class Numbers:
    """The same numbers every time."""

    def __init__(self):
        self.state = 12345

    def below(self, n):
        self.state = (self.state * 1103515245 + 12345) & 0x7FFFFFFF
        return (self.state >> 8) % n


def section(i, numbers):
    n = numbers.below
    lines = [
        "[section%d]" % i,
        'name = "item number %d of %d"' % (i, n(10**6)),
        "path = 'dir%d/file%d.txt'" % (n(100), n(10**5)),
        "count = %d" % n(10**9),
        "ratio = %d.%d" % (n(10**6), n(10**6)),
        "flag = %s" % ("true" if n(2) else "false"),
        "made = 20%02d-%02d-%02dT%02d:%02d:%02dZ" % (
            10 + n(89), 1 + n(12), 1 + n(28), n(24), n(60), n(60)),
        "nums = [%s]" % ", ".join(str(n(10**6)) for _ in range(12)),
        "words = [%s]" % ", ".join('"w%d"' % n(10**5) for _ in range(10)),
        'point = { x = %d, y = %d, tag = "t%d" }' % (n(1000), n(1000), n(10**4)),
    ]
    for k in range(3):
        lines += ["[section%d.sub%d]" % (i, k),
                  'key%d_%d = "value %d \\u00e9 text"' % (n(50), k, n(10**6)),
                  "n%d = %d" % (k, n(10**6))]
    for _ in range(2):
        lines += ["[[section%d.rows]]" % i, "id = %d" % n(10**6),
                  'label = """several\nlines %d"""' % n(10**4)]
    return "\n".join(lines) + "\n\n"


def main():
    size = int(float(sys.argv[1] if len(sys.argv) > 1 else 4) * 1e6)
    numbers, parts, length = Numbers(), [], 0
    while length < size:
        parts.append(section(len(parts), numbers))
        length += len(parts[-1])
    text = "".join(parts)
    count = len(parts)
    del parts
    gc.collect()
    time.sleep(2)  # so that nothing unused counts as there before
    before = resident("VmRSS")
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")  # the most that was resident begins anew
    start = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    document = tomllib.loads(text)
    seconds = sum(resource.getrusage(resource.RUSAGE_SELF)[:2]) - start
    most = resident("VmHWM")
    if len(document) != count:
        sys.exit("toml_memory: %d sections became %d" % (count, len(document)))
    del document
    gc.collect()
    time.sleep(2)
    print("%.1f %.1f %.1f %.2f" % (before, most, resident("VmRSS"), seconds))


if __name__ == "__main__":
    main()
