#!/usr/bin/env python3
"""tools/bench allocator --write: the tables of docs/measurements.md about the allocator.

    tools/bench allocator --write [--rounds=N] [--programs=DIR]

Small objects through malloc beside the allocators of Debian (tests/memory/small_objects),
large blocks, realloc and purge policies (//allocator:large_benchmark), QSBR beside
liburcu's (//qsbr:qsbr_benchmark, //qsbr:urcu_benchmark). Rounds go round the programs; the
figure is the least of them, for other work on the machine only adds. --programs=DIR takes
the built programs from there (a bazel-bin) and builds nothing.
"""

import glob
import json
import os
import platform
import re
import subprocess
import sys

from program_times import PAGE, ROOT, build, write

PEERS = [("glibc", ""), ("jemalloc", "libjemalloc.so.2"),
         ("tcmalloc", "libtcmalloc_minimal.so.4"), ("mimalloc", "libmimalloc.so.2.0")]
COLUMNS = [("lifo48", "lifo 48"), ("fifo1000_48", "fifo 1000 x 48"),
           ("rand100k_alloc", "random, allocate"), ("rand100k_free", "random, free"),
           ("churn100k", "churn"), ("xring64", "ring"), ("xbatch_alloc", "batch, allocate"),
           ("xbatch_free", "batch, free")]
TARGETS = ["//allocator:libtidepool_malloc.so", "//tests/memory:small_objects",
           "//allocator:large_benchmark", "//qsbr:qsbr_benchmark", "//qsbr:urcu_benchmark"]


def machine():
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        for line in info:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    compiler = subprocess.run(["g++", "-dumpfullversion"], text=True,
                              stdout=subprocess.PIPE).stdout.strip()
    return "%s, %d cores; g++ %s; Linux %s" % (
        model, os.cpu_count(), compiler, platform.release())


def say(text):
    print("tidepool: " + text, file=sys.stderr, flush=True)


def small_objects(programs, rounds):
    preloads = {"tidepool": os.path.join(programs, "allocator", "libtidepool_malloc.so")}
    for name, file in PEERS:
        found = glob.glob("/usr/lib/*/" + file) if file else [""]
        if found:
            preloads[name] = found[0]
    least = {name: {} for name in preloads}
    for turn in range(rounds):
        for name, preload in preloads.items():
            say("small objects, round %d of %d: %s" % (turn + 1, rounds, name))
            out = subprocess.run(
                [os.path.join(programs, "tests", "memory", "small_objects"), "--quick"],
                env=dict(os.environ, LD_PRELOAD=preload), text=True,
                stdout=subprocess.PIPE, check=True).stdout
            for key, value in re.findall(r"(\w+)=([\d.]+)", out):
                old = least[name].get(key, float("inf"))
                least[name][key] = min(old, float(value))
    lines = ["| | " + " | ".join(head for _, head in COLUMNS) + " |",
             "|---|" + "---:|" * len(COLUMNS)]
    for name, figures in least.items():
        lines.append("| %s | %s |" % (name, " | ".join(
            "%.1f" % figures[key] for key, _ in COLUMNS)))
    floor = min(f["xring_floor"] for f in least.values())
    return lines, floor


def rounds_of(program, rounds, name_filter=".", least_time=0.1):
    """Every run of each benchmark: {name: [run]}, with ns."""
    say("%s, %s" % (os.path.basename(program), name_filter))
    out = subprocess.run(
        [program, "--benchmark_format=json", "--benchmark_min_time=%g" % least_time,
         "--benchmark_enable_random_interleaving=true",
         "--benchmark_repetitions=%d" % rounds, "--benchmark_filter=" + name_filter],
        text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    runs = {}
    scale = {"ns": 1, "us": 1e3, "ms": 1e6}
    for run in json.loads(out)["benchmarks"]:
        if run.get("run_type") != "aggregate":
            run["ns"] = run["real_time"] * scale[run["time_unit"]]
            runs.setdefault(run["run_name"], []).append(run)
    return runs


def benchmark(program, rounds):
    """The least time of each benchmark in ns, and its counters."""
    return {name: min(runs, key=lambda r: r["ns"])
            for name, runs in rounds_of(program, rounds).items()}


def large(programs, rounds):
    runs = benchmark(os.path.join(programs, "allocator", "large_benchmark"), rounds)
    lines = ["| block, MiB | used again, GiB/s | after a purge, GiB/s |", "|---:|---:|---:|"]
    fresh = {n.split("/")[1]: r for n, r in runs.items() if n.startswith("BM_LargeFresh/")}
    for name, run in sorted(runs.items(), key=lambda r: r[1]["ns"]):
        if name.startswith("BM_Large/"):
            mib = name.split("/")[1]
            again = run["bytes_per_second"] / 2**30
            first = "%.2f" % (fresh[mib]["bytes_per_second"] / 2**30) if mib in fresh else ""
            lines.append("| %s | %.0f | %s |" % (mib, again, first))
    never = runs["BM_Reuse/never"]["ns"]
    lines += ["", "| purge policy, 24 MiB made, written and freed over and over | ms a turn "
              "| over `never` |", "|---|---:|---:|"]
    for name, run in sorted(runs.items(), key=lambda r: r[1]["ns"]):
        if name.startswith("BM_Reuse/"):
            lines.append("| %s | %.2f | %.2f |" % (
                name.split("/")[1], run["ns"] / 1e6, run["ns"] / never))
    lines += ["", "Growing a block to 16 MiB an eighth at a time: %.1f ms; to 64 KiB by eight "
              "bytes: %.0f ns a step." % (
                  runs["BM_ReallocGrowth"]["ns"] / 1e6,
                  runs["BM_ReallocByEight"]["ns"] / 8192)]
    return lines


def qsbr(programs, rounds):
    ours = benchmark(os.path.join(programs, "qsbr", "qsbr_benchmark"), rounds)
    theirs = benchmark(os.path.join(programs, "qsbr", "urcu_benchmark"), rounds)
    lines = ["| QSBR, ns | tidepool | liburcu |", "|---|---:|---:|"]
    for name, text in [("BM_QuiesceIdle", "quiescent state, nothing pending"),
                       ("BM_ReadSection", "read section"),
                       ("BM_AttachDetach", "online and offline"),
                       ("BM_DeferredFree", "deferred free"),
                       ("BM_GracePeriod", "grace period"),
                       ("BM_PollScan/64", "poll over 64 slots"),
                       ("BM_PollScan/8192", "poll over 8,192 slots")]:
        other = "%.1f" % theirs[name]["ns"] if name in theirs else ""
        lines.append("| %s | %.1f | %s |" % (text, ours[name]["ns"], other))
    return lines


def main(words):
    values = dict(w.lstrip("-").partition("=")[::2] for w in words)
    if set(values) - {"write", "rounds", "programs"}:
        say(__doc__.strip())
        return 2
    rounds = int(values.get("rounds") or 3)
    setup = os.path.join(ROOT, "tools", "internal", "setup.sh")
    if subprocess.run(["bash", "-c", '. "$0"; need_packages times', setup]).returncode:
        return 3
    programs = values.get("programs") or build(TARGETS)
    if programs is None:
        return 1
    small, floor = small_objects(programs, rounds)
    text = "\n".join(
        ["Made by `tools/bench allocator --write`; %s. Debian's allocators." % machine(), "",
         "Nanoseconds per small block through `malloc` and `free` "
         "(`tests/memory/small_objects.cc`); the ring itself costs %.0f." % floor, "",
         *small, "", *large(programs, rounds), "", *qsbr(programs, rounds)])
    print(text)
    if "write" in values:
        write("allocator", text)
        say("wrote " + os.path.relpath(PAGE, ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
