#!/usr/bin/env python3
"""tools/bench api --write: what calls of the C API cost, in docs/measurements.md.

    tools/bench api --write [--rounds=N] [--programs=DIR]

//api:c_api_benchmark: each operation as a call of the C API, by tidepool_inline.h where it
is there, and through the C++ API on the same isolate. The figure is the least CPU time of the
rounds. --programs=DIR takes the built program from there (a bazel-bin) and builds nothing.
"""

import os
import subprocess
import sys

from allocator_tables import machine, rounds_of, say
from program_times import PAGE, ROOT, build, write

TARGET = "//api:c_api_benchmark"
# The name of the call; its inline and C++ forms, where there are any, end in Inline and Cxx.
ROWS = [
    ("BM_IncrefDecref", "incref and decref"),
    ("BM_Safepoint", "safepoint"),
    ("BM_SlotLoad", "load a slot, drop what came"),
    ("BM_NewAndDrop/0", "new object without references, dropped"),
    ("BM_NewAndDrop/1", "new traversed object, dropped (its clear is a call, too)"),
    ("BM_MallocFree", "malloc and free, 64 bytes"),
    ("BM_DetachAttach", "detach and attach"),
    ("BM_ObjectLock", "object lock and unlock"),
    ("BM_ScopeOfThree", "a scope that keeps three"),
    ("BM_CallFromForeignCode/1", "enter, ten objects, leave: pinned"),
    ("BM_CallFromForeignCode/0", "the same, not pinned"),
]


def main(words):
    values = dict(w.lstrip("-").partition("=")[::2] for w in words)
    if set(values) - {"write", "rounds", "programs"}:
        say(__doc__.strip())
        return 2
    setup = os.path.join(ROOT, "tools", "internal", "setup.sh")
    if subprocess.run(["bash", "-c", '. "$0"; need_packages build', setup]).returncode:
        return 3
    programs = values.get("programs") or build([TARGET])
    if programs is None:
        return 1
    runs = rounds_of(os.path.join(programs, "api", "c_api_benchmark"),
                     int(values.get("rounds") or 5))
    least = {name: min(run["cpu_ns"] for run in rounds) for name, rounds in runs.items()}
    lines = ["Made by `tools/bench api --write`; %s. One thread." % machine(), "",
             "| CPU ns | call | inline | C++ |", "|---|---:|---:|---:|"]
    for name, text in ROWS:
        base, cut, size = name.partition("/")
        cells = ["%.1f" % least[form] if form in least else ""
                 for form in (base + suffix + cut + size for suffix in ("", "Inline", "Cxx"))]
        lines.append("| %s | %s |" % (text, " | ".join(cells)))
    text = "\n".join(lines)
    print(text)
    if "write" in values:
        write("api", text)
        say("wrote " + os.path.relpath(PAGE, ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
