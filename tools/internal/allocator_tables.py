#!/usr/bin/env python3
"""tools/bench allocator --write: the tables of docs/measurements.md about the allocator.

    tools/bench allocator --write [--rounds=N] [--programs=DIR]

Small objects through malloc beside the allocators of Debian (tests/memory/small_objects),
large blocks, realloc and purge policies (//allocator:large_benchmark), QSBR beside
liburcu's (//qsbr:qsbr_benchmark, //qsbr:urcu_benchmark), what the heap profile costs, what
stays of shrunk strings, what the drop-in library adds to a program's start. Rounds go round the programs; the
figure is the least of them, for other work on the machine only adds. --programs=DIR takes
the built programs from there (a bazel-bin) and builds nothing.
"""

import json
import os
import platform
import re
import subprocess
import sys

from program_times import PAGE, ROOT, build, our_malloc, peers, processor, write

COLUMNS = [("lifo48", "lifo 48"), ("fifo1000_48", "fifo 1000 x 48"),
           ("rand100k_alloc", "random, allocate"), ("rand100k_free", "random, free"),
           ("churn100k", "churn"), ("xring64", "ring"), ("xbatch_alloc", "batch, allocate"),
           ("xbatch_free", "batch, free")]
TARGETS = ["//allocator:libtidepool_malloc.so", "//tests/memory:small_objects",
           "//allocator:large_benchmark", "//qsbr:qsbr_benchmark", "//qsbr:urcu_benchmark",
           "//tests/memory:profile_cost", "//tests/memory:shrunk_strings",
           "//tests/memory:first_touch"]


def machine():
    compiler = subprocess.run(["g++", "-dumpfullversion"], text=True,
                              stdout=subprocess.PIPE).stdout.strip()
    return "%s, %d cores; g++ %s; Linux %s" % (
        processor(), os.cpu_count(), compiler, platform.release())


def say(text):
    print("tidepool: " + text, file=sys.stderr, flush=True)


def preloaded(programs):
    """{name: library} of ours and of every peer that is installed; glibc's is ""."""
    return {"tidepool": our_malloc(programs), **peers()}


def output(*command):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, check=True).stdout


def small_objects(programs, rounds):
    preloads = preloaded(programs)
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
            run["cpu_ns"] = run["cpu_time"] * scale[run["time_unit"]]
            runs.setdefault(run["run_name"], []).append(run)
    return runs


def benchmark(program, rounds, name_filter="."):
    """The least time of each benchmark in ns, and its counters."""
    return {name: min(runs, key=lambda r: r["ns"])
            for name, runs in rounds_of(program, rounds, name_filter).items()}


def large(programs, rounds):
    program = os.path.join(programs, "allocator", "large_benchmark")
    runs = benchmark(program, rounds)
    # What differs by a hundredth wants more rounds than what differs by half.
    runs.update(benchmark(program, 5 * rounds, "BM_Reuse"))
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


def profile(programs):
    say("the heap profile on and off")
    names = {"again": "allocate 48 bytes, free, again",
             "all": "100,000 of 64 bytes, then free them all",
             "replaced": "100,000 live of 16 to 527 bytes, one replaced at random"}
    lines = ["| heap profile, a sample each 512 KiB; CPU ns an allocation and a free | off | on "
             "| ratio | off both times |", "|---|---:|---:|---:|---:|"]
    for line in output(os.path.join(programs, "tests", "memory", "profile_cost")).splitlines():
        name, off, on, ratio, same = line.split()
        lines.append("| %s | %.1f | %.1f | %.3f | %.3f |" % (
            names[name], float(off), float(on), float(ratio), float(same)))
    return lines


def strings(programs):
    say("shrunk strings")
    program = os.path.join(programs, "tests", "memory", "shrunk_strings")
    lines = ["| 1 M strings of 200 bytes shrunk to 110, nine of ten freed; resident MiB | full "
             "| shrunk | freed | idle | live |", "|---|---:|---:|---:|---:|---:|"]
    for how, text in (("rows", "900 of each 1,000 in a row"), ("random", "at random")):
        lines.append("| %s | %s |" % (text, " | ".join(
            "%.0f" % float(word) for word in output(program, how).split())))
    return lines


def starts(programs, rounds):
    """CPU ms of /bin/true, started and ended, under each library: the least of the rounds."""
    say("starts of a program")
    least, times = {}, 100
    for _ in range(rounds):
        for name, library in preloaded(programs).items():
            before = os.times()
            for _ in range(times):
                subprocess.run(["/bin/true"], env={"LD_PRELOAD": library} if library else {},
                               check=True)
            after = os.times()
            spent = after.children_user - before.children_user
            spent += after.children_system - before.children_system
            least[name] = min(least.get(name, spent), spent)
    return ["Start and end of `/bin/true`, CPU ms, the mean of %d: %s." % (
        times, ", ".join("%s %.2f" % (name, seconds * 1000 / times)
                         for name, seconds in least.items()))]


def first_touch(programs):
    """ms that a program of 50 MB takes, a hundred times: the median and the last but one."""
    say("first touch")
    program = os.path.join(programs, "tests", "memory", "first_touch")
    times = {name: [] for name in preloaded(programs)}
    for _ in range(100):
        for name, library in preloaded(programs).items():
            times[name].append(float(subprocess.run(
                [program], env={"LD_PRELOAD": library} if library else {}, text=True,
                stdout=subprocess.PIPE, check=True).stdout))
    with open("/sys/kernel/mm/transparent_hugepage/enabled", encoding="ascii") as file:
        huge = re.search(r"\[(\w+)\]", file.read()).group(1)
    return ["A program that writes 50 MB in blocks of 4 KiB to 1 MiB, ms, median and 99th "
            "percentile of 100 (transparent huge pages: %s): %s." % (huge, ", ".join(
                "%s %.0f and %.0f" % (name, sorted(all_)[50], sorted(all_)[98])
                for name, all_ in times.items()))]


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
         *small, "", *large(programs, rounds), "", *qsbr(programs, rounds), "",
         *profile(programs), "", *strings(programs), "", *starts(programs, rounds), "",
         *first_touch(programs)])
    print(text)
    if "write" in values:
        write("allocator", text)
        say("wrote " + os.path.relpath(PAGE, ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
