"""Times whole programs side by side: tools/bench lua, dropin, scripts.

Every row is a program, every column an allocator (or an interpreter); the columns of a
row take turns, so that the machine's other load falls on all of them alike. Seconds are
CPU seconds (user and system; the least of the rounds, for other load only adds), peaks are
resident MiB (medians). With --write the table replaces the text between its two marker
lines in docs/measurements.md.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

from bazel_command import bazel

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.path.join(ROOT, "docs", "measurements.md")
LIB = "/usr/lib/%s-linux-gnu/" % platform.machine()
PYTHON = "/usr/bin/python3"  # Debian's
EMPTY = "(an empty program)"
PRELOADS = {
    "glibc": "",
    "jemalloc": LIB + "libjemalloc.so.2",
    "tcmalloc": LIB + "libtcmalloc_minimal.so.4",
    "mimalloc": LIB + "libmimalloc.so.2.0",
}
LUA_ROWS = [("binary_trees", 15), ("closures", 40000), ("documents", 20),
            ("strings", 300), ("tables", 250), ("weak", 800000), ("nbody", 700000),
            ("spectral_norm", 450)]


def say(text):
    print("tidepool: " + text, file=sys.stderr, flush=True)


def peers():
    """{name: library} of the other allocators that are installed; glibc's is ""."""
    return {name: library for name, library in PRELOADS.items()
            if not library or os.path.exists(library)}


def our_malloc(binaries):
    return os.environ.get("TIDEPOOL_MALLOC") or os.path.join(
        binaries, "allocator", "libtidepool_malloc.so")


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        for line in info:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return "unknown processor"


def timed(command, preload=None, cwd=None, extra=None):
    """Runs a command; returns CPU seconds and peak MiB. The preload is for it alone."""
    words = ["env"]
    if preload:
        words.append("LD_PRELOAD=" + preload)
    words += ["%s=%s" % item for item in sorted((extra or {}).items())]
    with tempfile.NamedTemporaryFile("r") as out:
        done = subprocess.run(
            ["/usr/bin/time", "-q", "-o", out.name, "-f", "%U %S %M", *words, *command],
            cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise RuntimeError("%s: status %d: %s" % (
                " ".join(command), done.returncode, done.stderr[-500:]))
        user, system, peak = out.read().split()[-3:]
    return float(user) + float(system), int(peak) / 1024


def measure(rows, columns, rounds):
    """rows: name -> {column: function}. Returns name -> column -> (seconds, MiB)."""
    table = {}
    for name, functions in rows:
        say("%s ..." % name)
        seen = {c: [] for c in columns}
        for turn in range(rounds):
            order = columns[turn % len(columns):] + columns[:turn % len(columns)]
            for column in order:
                seen[column].append(functions[column]())
        table[name] = {c: (min(s for s, _ in seen[c]),
                           statistics.median(m for _, m in seen[c])) for c in columns}
    return table


def markdown(table, columns):
    lines = ["| program | " + " | ".join("%s: s" % c for c in columns) + " | " +
             " | ".join("%s: MiB" % c for c in columns) + " |",
             "|---|" + "---:|" * (2 * len(columns))]
    for name, row in table.items():
        lines.append("| %s | %s | %s |" % (
            name, " | ".join("%.2f" % row[c][0] for c in columns),
            " | ".join("%.1f" % row[c][1] for c in columns)))
    return "\n".join(lines)


def sums(table, columns):
    """The geometric mean of each column's time and peak over the first column's."""
    first, parts = columns[0], []
    rows = [row for name, row in table.items() if name != EMPTY]
    for column in columns[1:]:
        seconds = memory = 1.0
        for row in rows:
            seconds *= max(row[column][0], 0.01) / max(row[first][0], 0.01)
            memory *= row[column][1] / row[first][1]
        parts.append("%s %.2f and %.2f" % (column, seconds ** (1 / len(rows)),
                                           memory ** (1 / len(rows))))
    return "Time and peak over %s's (geometric means): %s." % (first, ", ".join(parts))


def lua(binaries, rounds, scale):
    program = os.path.join(binaries, "examples", "lua", "lua_tidepool")
    columns = ["tidepool", "glibc", "mimalloc"]
    rows = []
    for script, size in LUA_ROWS:
        path = os.path.join(ROOT, "examples", "lua", "scripts", script + ".lua")
        if script != "binary_trees":
            size = max(1, int(size * scale))
        words = [path, str(size)]
        rows.append(("`%s` %d" % (script, size), {
            "tidepool": lambda w=words: timed([program, *w]),
            "glibc": lambda w=words: timed([program, "--alloc=default", *w]),
            "mimalloc": lambda w=words: timed([program, "--alloc=default", *w],
                                              PRELOADS["mimalloc"]),
        }))
    return columns, measure(rows, columns, rounds)


def redis(preload, requests):
    """CPU seconds and peak of a redis-server under a fixed load of redis-benchmark."""
    with tempfile.TemporaryDirectory() as folder:
        socket = os.path.join(folder, "s")
        out = os.path.join(folder, "time")
        words = ["env"] + (["LD_PRELOAD=" + preload] if preload else [])
        server = subprocess.Popen(
            ["/usr/bin/time", "-q", "-o", out, "-f", "%U %S %M", *words, "redis-server",
             "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder],
            stdout=subprocess.DEVNULL)
        cli = ["redis-cli", "-s", socket]
        for _ in range(200):
            if subprocess.run([*cli, "ping"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0:
                break
            time.sleep(0.05)
        for tests, size in (("set,get", 300), ("lpush,hset,zadd,sadd", 100), ("set", 2000),
                            ("lpop,spop,get", 100)):
            subprocess.run(["redis-benchmark", "-s", socket, "-q", "-n", str(requests),
                            "-r", str(requests // 4), "-P", "16", "-d", str(size), "-t",
                            tests], stdout=subprocess.DEVNULL, check=True)
        subprocess.run([*cli, "shutdown", "nosave"], stdout=subprocess.DEVNULL)
        if server.wait() != 0:
            raise RuntimeError("redis-server: status %d" % server.returncode)
        with open(out, encoding="utf-8") as file:
            user, system, peak = file.read().split()[-3:]
    return float(user) + float(system), int(peak) / 1024


def dropin(binaries, rounds, scale):
    columns = ["tidepool", "glibc", "mimalloc", "jemalloc", "tcmalloc"]
    preloads = {"tidepool": our_malloc(binaries), **PRELOADS}
    here = os.path.join(ROOT, "tests", "dropin")

    def times(n):
        return str(max(1, int(n * scale)))

    python = [PYTHON]
    malloc = {"PYTHONMALLOC": "malloc"}
    programs = [
        ("python3, threads and JSON", lambda p: timed(
            [*python, os.path.join(here, "threads.py"), times(8)], p, extra=malloc)),
        ("python3, a big document", lambda p: timed(
            [*python, "-c", "import json\n"
             "d = [{'id': i, 'name': 'n%d' % i, 'tags': [str(i), 'x' * (i % 40)]}"
             " for i in range(" + times(60000) + ")]\n"
             "for _ in range(2): d = json.loads(json.dumps(d))"], p, extra=malloc)),
        ("sqlite3, load and queries", lambda p: timed(
            ["sh", "-c", "sqlite3 :memory: < " + os.path.join(here, "load.sql")], p)),
        ("perl, hashes and strings", lambda p: timed(
            ["perl", os.path.join(here, "words.pl"), times(20)], p)),
        ("g++ -O1, one file", lambda p: timed(
            # Not to /dev/null: for root the assembler would put a file in its place.
            ["g++", "-std=c++20", "-O1", "-x", "c++", "-c", "-o",
             os.path.join(tempfile.gettempdir(), "tidepool_compile_me.o"),
             os.path.join(here, "compile_me.txt")], p)),
        ("redis-server, its benchmark", lambda p: redis(p, int(60000 * scale))),
    ]
    rows = [(name, {c: (lambda f=run, c=c: f(preloads[c])) for c in columns})
            for name, run in programs]
    return columns, measure(rows, columns, rounds)


def toml(binaries, rounds):
    """tests/dropin/toml_memory.py on python3's own allocator and on each malloc: a table."""
    libraries = {"tidepool": our_malloc(binaries), **PRELOADS}
    names = ["python3's own", "tidepool", "glibc", "mimalloc", "jemalloc", "tcmalloc"]
    seen = {name: [] for name in names}
    say("TOML ...")
    for turn in range(rounds):
        for name in names[turn % len(names):] + names[:turn % len(names)]:
            extra = {}
            if name in libraries:
                extra["PYTHONMALLOC"] = "malloc"
                if libraries[name]:
                    extra["LD_PRELOAD"] = libraries[name]
            out = subprocess.run(
                [PYTHON, os.path.join(ROOT, "tests", "dropin", "toml_memory.py")], text=True,
                env=dict(os.environ, **extra), stdout=subprocess.PIPE, check=True).stdout
            seen[name].append([float(word) for word in out.split()])
    medians = {name: [statistics.median(column) for column in zip(*runs)]
               for name, runs in seen.items()}
    least = {name: min(run[3] for run in runs) for name, runs in seen.items()}
    own = medians[names[0]]
    lines = ["| 4 MB of TOML in python3; MiB | before | peak | what it grew by, over python3's "
             "own | dropped, two idle seconds | CPU s |", "|---|---:|---:|---:|---:|---:|"]
    for name in names:
        before, peak, idle, _ = medians[name]
        lines.append("| %s | %.1f | %.1f | %.2f | %.1f | %.2f |" % (
            name, before, peak, (peak - before) / (own[1] - own[0]), idle, least[name]))
    return "\n".join(lines)


def scripts(binaries, rounds, scale):
    """The programs of tests/scripts/bench on the toy runtime and on python3."""
    runtime = os.path.join(binaries, "runtime", "tidepool")
    folder = os.path.join(ROOT, "tests", "scripts", "bench")
    rows = [(EMPTY, {"tidepool": lambda: timed([runtime, "/dev/null"]),
                     "python3": lambda: timed([PYTHON, "/dev/null"])})]
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            words = [os.path.join(folder, name), str(max(1, int(20 * scale)))]
            rows.append(("`%s`" % name[:-3], {
                "tidepool": lambda w=words: timed([runtime, *w]),
                "python3": lambda w=words: timed([PYTHON, *w])}))
    columns = ["tidepool", "python3"]
    return columns, measure(rows, columns, rounds)


def objects(table):
    """Peaks without the interpreter's own, tidepool's over python3's, where that is much."""
    (own, theirs), parts = (table[EMPTY][c][1] for c in ("tidepool", "python3")), []
    for name, row in table.items():
        if row["python3"][1] - theirs >= 8:
            parts.append("%s %.2f" % (name, (row["tidepool"][1] - own) /
                                      (row["python3"][1] - theirs)))
    return "Peak beyond the empty program's, over python3's: %s." % ", ".join(parts)


def two_threads(binaries, rounds):
    """How much faster two threads are than one; CPU time says it for two idle cores."""
    command = [os.path.join(binaries, "runtime", "tidepool"),
               os.path.join(ROOT, "tests", "scripts", "bench", "halves.py"), "60"]
    wall, cpu = {}, {}
    for _ in range(rounds):
        for threads in ("1", "2"):
            start = time.monotonic()
            seconds = timed(command + [threads])[0]
            wall.setdefault(threads, []).append(time.monotonic() - start)
            cpu.setdefault(threads, []).append(seconds)
    return ("`halves` 60 on two threads: %.2f times as fast as on one (wall time, the least of"
            " %d rounds); %.2f as the CPU time says it, which is right on two idle cores."
            " Load when that ended: %.1f." % (
                min(wall["1"]) / min(wall["2"]), rounds,
                2 * min(cpu["1"]) / min(cpu["2"]), os.getloadavg()[0]))


def shared_object(binaries, rounds):
    """What calls of one object's method cost when eight threads make them."""
    command = [os.path.join(binaries, "runtime", "tidepool"),
               os.path.join(ROOT, "tests", "memory", "shared_object.py")]
    runs = [[float(word) for word in subprocess.run(
        command, text=True, stdout=subprocess.PIPE, check=True).stdout.split()]
            for _ in range(rounds)]
    one, marked, own = (min(column) for column in zip(*runs))
    return ("A method called by eight threads, CPU ns a call (`tests/memory/shared_object.py`): "
            "of one object %.0f; of one that is marked as shared %.0f, %.2f of the %.0f of an "
            "object for each." % (one, marked, marked / own, own))


def write(marker, text):
    begin, end = "<!-- %s: begin -->" % marker, "<!-- %s: end -->" % marker
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    if begin not in page or end not in page:
        raise RuntimeError("docs/measurements.md has no lines %s and %s" % (begin, end))
    head, rest = page.split(begin, 1)
    tail = rest.split(end, 1)[1]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(head + begin + "\n" + text + "\n" + end + tail)


def build(targets):
    """The folder in which the built targets are, or None if they could not be built."""
    if subprocess.run(bazel("build", "--noshow_progress", "--ui_event_filters=-info", *targets),
                      cwd=ROOT, stdout=sys.stderr).returncode != 0:
        return None
    return subprocess.run(bazel("info", "bazel-bin"), cwd=ROOT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip()


SUITES = {
    "lua": (lua, ["//examples/lua:lua_tidepool"]),
    "scripts": (scripts, ["//runtime:tidepool"]),
    "dropin": (dropin, ["//allocator:libtidepool_malloc.so"]),
}


def main(words):
    parser = argparse.ArgumentParser(
        prog="tools/bench", description="times programs on several allocators")
    parser.add_argument("suite", choices=sorted(SUITES))
    parser.add_argument("--write", action="store_true",
                        help="put the table into docs/measurements.md")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0,
                        help="how much work, over the usual")
    options = parser.parse_args(words)
    setup = os.path.join(ROOT, "tools", "internal", "setup.sh")
    if subprocess.run(["bash", "-c", '. "$0"; need_packages times', setup]).returncode:
        return 3
    run, targets = SUITES[options.suite]
    binaries = build(targets)
    if binaries is None:
        return 1
    columns, table = run(binaries, options.rounds, options.scale)
    if options.json:
        print(json.dumps({name: {c: {"seconds": v[0], "peak_mib": v[1]}
                                 for c, v in row.items()}
                          for name, row in table.items()}, indent=1))
        return 0
    text = markdown(table, columns) + "\n\n" + sums(table, columns)
    if options.suite == "scripts":
        text += "\n\n%s\n\n%s\n\n%s" % (
            objects(table), two_threads(binaries, options.rounds),
            shared_object(binaries, options.rounds))
    if options.suite == "dropin":
        text += "\n\n" + toml(binaries, options.rounds)
    print(text)
    if options.write:
        write(options.suite, text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
