"""A full collection over the graphs of gc/collector_benchmark.cc by other collectors, as
far as they are on this machine: the python3's (and a free-threaded one's, if it is named
python3.13t or python3.14t) and libgc's (Debian: libgc-dev).

    python3 tools/internal/gc_peers.py [OBJECTS [REPETITIONS]]

One line a graph: CPU milliseconds of the best of the repetitions. `tools/bench gc` prints
it after its own figures. The programs are in tools/internal/peers/.
"""

import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "peers")
GRAPHS = ["random", "cycles", "deep", "dicts"]


def words_of(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if done.returncode != 0:
        return {}
    return dict(w.split("=", 1) for w in done.stdout.split() if "=" in w)


def build_bdw(folder):
    """The path of the libgc program, or None if it cannot be built here."""
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "bdw-gc"],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if flags.returncode != 0 or shutil.which("g++") is None:
        return None
    program = os.path.join(folder, "gc_graphs_bdw")
    command = ["g++", "-O2", "-std=c++20", os.path.join(HERE, "gc_graphs_bdw.cc"),
               "-o", program, *flags.stdout.split(), "-lpthread"]
    if subprocess.run(command, stderr=subprocess.DEVNULL).returncode != 0:
        return None
    return program


def main():
    objects = sys.argv[1] if len(sys.argv) > 1 else "1000000"
    repetitions = sys.argv[2] if len(sys.argv) > 2 else "3"
    with tempfile.TemporaryDirectory() as folder:
        peers = []
        for name in ("python3", "python3.13t", "python3.14t"):
            path = shutil.which(name)
            if path is not None:
                peers.append((name, [path, os.path.join(HERE, "gc_graphs.py")]))
        bdw = build_bdw(folder)
        if bdw is not None:
            peers.append(("libgc", [bdw]))
        print("A full collection over %s objects, ms of CPU" % objects)
        print("%-10s" % "" + "".join("%14s" % name for name, _ in peers))
        for graph in GRAPHS:
            line = "%-10s" % graph
            for _, command in peers:
                words = words_of([*command, graph, objects, repetitions])
                line += "%14s" % words.get("cpu_ms", "-")
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
