#!/usr/bin/env python3
"""tools/bench gc --write: the tables of docs/measurements.md about collector and counts.

    tools/bench gc --write [--rounds=N] [--programs=DIR]

A full collection over graphs of a million objects (//gc:collector_benchmark) beside the
python3's and libgc's on this machine (gc_peers.py), the stops of automatic collections,
which are also drawn (docs/pauses.svg, tools/pause_chart), and what counting references
costs (//object:object_benchmark) beside std::shared_ptr and absl's nearest. The figure is
the least of the rounds, for other work on the machine only adds; of stops it is the round
whose 99th percentile is the median. --programs=DIR takes the built programs from there (a
bazel-bin) and builds nothing.
"""

import importlib.machinery
import importlib.util
import os
import re
import statistics
import subprocess
import sys

from allocator_tables import machine, rounds_of, say
from program_times import PAGE, ROOT, build, write

TARGETS = ["//gc:collector_benchmark", "//object:object_benchmark"]
GRAPHS = [("BM_RandomLiveFromRoots", "random, live, from roots", 60, "random"),
          ("BM_RandomLiveByTrial", "random, live, by trial deletion", 60, "random"),
          ("BM_GarbageCycles", "garbage, pairs", 40, "cycles"),
          ("BM_DeepListFromRoots", "deep list, live", 15, "deep"),
          ("BM_ListOfDicts", "list of dicts, live", 40, "dicts")]
COUNTS = [
    ("BM_OwnerIncrefDecref", "incref and decref by the owner"),
    ("BM_SharedIncrefDecref/threads:1", "the same by others, one thread"),
    ("BM_SharedIncrefDecref/threads:2", "the same by others, two threads"),
    ("BM_SharedPtrCopy/real_time/threads:1", "`std::shared_ptr` copied, one thread"),
    ("BM_SharedPtrCopy/real_time/threads:2", "`std::shared_ptr` copied, two threads"),
    ("BM_CordCopy/real_time/threads:1", "`absl::Cord` copied, one thread"),
    ("BM_CordCopy/real_time/threads:2", "`absl::Cord` copied, two threads"),
    ("BM_AtomicAdd", "an atomic add"),
    ("BM_TryIncrefForeign", "`TryIncref` of another thread's object"),
    ("BM_LoadRefOwned", "`LoadRef` and drop, own object"),
    ("BM_LoadRefShared/threads:1", "`LoadRef` and drop, of nobody, one thread"),
    ("BM_LoadRefShared/threads:2", "`LoadRef` and drop, of nobody, two threads"),
    ("BM_LoadRefUnderWriter/real_time/threads:2", "`LoadRef` while another thread writes"),
    ("BM_AtomicSharedPtrUnderWriter/real_time/threads:2",
     "`std::atomic<std::shared_ptr>` while another writes"),
    ("BM_MutexSharedPtrUnderWriter/real_time/threads:2",
     "`std::shared_ptr` under a mutex while another writes"),
    ("BM_ForeignDropQueuedAndMerged/real_time/threads:2",
     "made here, dropped there, merged here"),
    ("BM_OneObjectForAll<false>/real_time/threads:2", "one object counted by two threads"),
    ("BM_OneObjectForAll<true>/real_time/threads:2", "the same, marked (deferred)"),
    ("BM_AnObjectForEach/real_time/threads:2", "an object for each of two threads"),
    ("BM_Safepoint", "safepoint"),
]


def peers():
    """{(peer, graph): CPU ms} and the peers' names."""
    say("other collectors")
    out = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "internal", "gc_peers.py")],
                         text=True, stdout=subprocess.PIPE).stdout
    lines = [line.split() for line in out.splitlines()]
    names = lines[1] if len(lines) > 1 else []
    return {(name, line[0]): figure for line in lines[2:]
            for name, figure in zip(names, line[1:])}, names


def collections(programs, rounds):
    runs = rounds_of(os.path.join(programs, "gc", "collector_benchmark"), rounds,
                     "Live|Garbage|List", 0.2)
    theirs, names = peers()
    lines = ["| graph, ms | one marker | CPU | two markers | ratio | target |"
             + "".join(" %s |" % n for n in names),
             "|---|" + "---:|" * (5 + len(names))]
    for name, text, target, graph in GRAPHS:
        best = {}
        for markers in (1, 2):
            key = "%s/objects:1000000/markers:%d/manual_time" % (name, markers)
            best[markers] = min(runs[key], key=lambda r: r["ns"])
        cpu = best[1]["cpu_ns_per_object"]  # of a million objects: ms
        lines.append("| %s | %.1f | %.1f | %.1f | %.2f | %d |%s" % (
            text, best[1]["ns"] / 1e6, cpu, best[2]["ns"] / 1e6,
            best[2]["ns"] / best[1]["ns"], target,
            "".join(" %s |" % theirs.get((n, graph), "") for n in names)))
    return lines


OTHER_HEAPS = [("BM_PausesUnrooted", "random, no root"), ("BM_PausesGarbagePairs", "garbage pairs"),
               ("BM_PausesDeepList", "deep list"), ("BM_PausesListOfDicts", "list of dicts"),
               ("BM_PausesDeadGraph", "random, all garbage")]


def stops(programs, rounds, draw):
    runs = rounds_of(os.path.join(programs, "gc", "collector_benchmark"), rounds,
                     "BM_Pauses", 0.1)
    figures = {}
    for name in runs:
        middle = statistics.median_low(r["p99_ns"] for r in runs[name])
        figures[name] = next(r for r in runs[name] if r["p99_ns"] == middle)
    keys = ("p50_ns", "p99_ns", "max_ns", "cpu_p99_ns", "cpu_max_ns", "held_p99_ns",
            "held_cpu_p99_ns")

    def line(first, second, run):
        return "| %s | %s | %.0f |%s" % (first, second, run["stops"], "".join(
            " %.1f |" % (run[key] / 1e6) for key in keys))

    head = ("stops a collection | p50, ms | p99, ms | longest, ms | CPU, p99 | CPU, longest | "
            "held at a safepoint, p99, ms | CPU, p99 |\n|---:|---|" + "---:|" * 8)
    chosen = []
    lines = ["| objects | policy | " + head]
    sized = [n for n in figures if "objects:" in n]
    for name in sorted(sized, key=lambda n: [int(d) for d in re.findall(r":(\d+)", n)]):
        chosen.append(figures[name])
        objects, budget = re.search(r"objects:(\d+)/budget:(\d)", name).groups()
        lines.append(line(format(int(objects), ","),
                          "`pause:ms=5`" if budget == "1" else "`live_bytes`", figures[name]))
    lines += ["", "Other heaps of a million objects under `pause:ms=5`, two collections.", "",
              "| objects | heap | " + head]
    for prefix, text in OTHER_HEAPS:
        for name in figures:
            if name.startswith(prefix):
                lines.append(line("1,000,000", text, figures[name]))
    if draw:
        path = os.path.join(ROOT, "tools", "pause_chart")
        loader = importlib.machinery.SourceFileLoader("pause_chart", path)
        sys.dont_write_bytecode = True
        chart = importlib.util.module_from_spec(
            importlib.util.spec_from_loader("pause_chart", loader))
        loader.exec_module(chart)
        with open(os.path.join(ROOT, "docs", "pauses.svg"), "w", encoding="utf-8") as f:
            f.write(chart.draw(chart.rows({"benchmarks": chosen})))
    return lines


def counts(programs, rounds):
    runs = rounds_of(os.path.join(programs, "object", "object_benchmark"), rounds, ".", 0.05)
    lines = ["| counting, ns | |", "|---|---:|"]
    for name, text in COUNTS:
        if name in runs:
            lines.append("| %s | %.1f |" % (text, min(r["ns"] for r in runs[name])))
    return lines


def main(words):
    values = dict(w.lstrip("-").partition("=")[::2] for w in words)
    if set(values) - {"write", "rounds", "programs"}:
        say(__doc__.strip())
        return 2
    rounds = int(values.get("rounds") or 3)
    programs = values.get("programs") or build(TARGETS)
    if programs is None:
        return 1
    text = "\n".join(
        ["Made by `tools/bench gc --write`; %s." % machine(), "",
         "A full collection over 1,000,000 objects, wall time; the others' in CPU time.", "",
         *collections(programs, rounds), "",
         "Stops of three automatic collections beside a program that keeps so many objects "
         "and makes garbage: [pauses.svg](pauses.svg).", "",
         *stops(programs, rounds, "write" in values), "",
         "References, ns an operation; of two threads, what each sees.", "",
         *counts(programs, rounds)])
    print(text)
    if "write" in values:
        write("gc", text)
        say("wrote " + os.path.relpath(PAGE, ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
