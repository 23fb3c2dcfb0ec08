"""Large blocks made on one thread and freed on another.

usage: pool.py [produce|consume new|keep [gc]] [--block=MIB] [--threads=N]
               [--count=N] [--rounds=N]

  produce  a worker makes a block of 16 MiB, the main thread drops it
  consume  the main thread reads a block of 16 MiB, a worker takes its checksum and drops it
  new      every round has a pool of its own, whose threads end with the round
  keep     one pool of threads for all rounds
  gc       a collection after every round

  --block    size of a block in MiB [16]      --count   blocks in a round [64]
  --threads  workers, and blocks in flight [8]  --rounds  [10]

Ten rounds of 64 blocks, so 10 GiB go through, but never more than 8 blocks are in flight:
the need is 8 x 16 MiB, for `produce` also the pattern that is copied, and what the
interpreter has before it starts.  A runtime that keeps freed memory for the thread that
freed it, or until threads that look at nothing have moved on, peaks at a multiple of that.
The column `ratio` says what multiple.

Without a row's name all eight rows are run, each in a process of its own; `tools/pool_rows`
runs them for many sizes and settings.
"""

import collections, concurrent.futures, gc, os, resource, subprocess, sys, time, zlib

BLOCK = 16 << 20
FLIGHT = 8
ROUNDS = 10
COUNT = 64
MIB = 1 << 20

ROW = "%-16s %9s %9s %12s %6s %8s"


def peak():
    """The most memory this process has had resident, in MiB."""
    if os.path.exists("/proc/self/status"):  # the figure below counts who started us too
        with open("/proc/self/status") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / 1024
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return rss / MIB if sys.platform == "darwin" else rss / 1024


def produce(executor):
    flight = collections.deque()
    for _ in range(COUNT):
        if len(flight) == FLIGHT:
            flight.popleft().result()
        flight.append(executor.submit(PATTERN.tobytes))
    while flight:
        flight.popleft().result()


def consume(executor):
    flight = collections.deque()
    for _ in range(COUNT):
        if len(flight) == FLIGHT:
            flight.popleft().result()
        flight.append(executor.submit(zlib.crc32, ZERO.read(BLOCK)))
    while flight:
        flight.popleft().result()


def run(work, keep, collect):
    kept = concurrent.futures.ThreadPoolExecutor(FLIGHT) if keep else None
    for _ in range(ROUNDS):
        executor = kept or concurrent.futures.ThreadPoolExecutor(FLIGHT)
        work(executor)
        if not keep:
            executor.shutdown()
        if collect:
            gc.collect()
    if keep:
        kept.shutdown()


def one_row(name):
    global PATTERN, ZERO
    base = peak()
    blocks = FLIGHT
    if name[0] == "produce":
        PATTERN = memoryview(bytes(range(256)) * (BLOCK // 256))
        work = produce
        blocks += 1
    else:
        ZERO = open("/dev/zero", "rb", buffering=0)
        work = consume
    need = blocks * BLOCK / MIB + base
    start = time.perf_counter()
    run(work, name[1] == "keep", "gc" in name[2:])
    seconds = time.perf_counter() - start
    print(ROW % (" ".join(name), f"{base:.0f} MiB", f"{need:.0f} MiB", f"{peak():.0f} MiB",
                 f"{peak() / need:.2f}", f"{seconds:.2f} s"), flush=True)


def progress(text):
    """On the terminal's last line, if there is a terminal; without text: away with it."""
    if sys.stderr.isatty():
        print("\r" + text.ljust(40) + "\r", end=text if text else "", file=sys.stderr, flush=True)


def all_rows(options):
    print(ROW % ("row", "at start", "need", "peak", "ratio", "time"), flush=True)
    rows = 0
    for work in ("produce", "consume"):
        for pool in ("new", "keep"):
            for collect in ((), ("gc",)):
                rows += 1
                progress("row %d of 8: %s" % (rows, " ".join((work, pool, *collect))))
                done = subprocess.run([sys.executable, sys.argv[0], work, pool, *collect, *options],
                                      capture_output=True, text=True)
                progress("")
                print(done.stdout, end="", flush=True)
                if done.returncode != 0:
                    print(done.stderr, end="", file=sys.stderr)
                    sys.exit(done.returncode)


def usage():
    raise SystemExit("usage: pool.py [produce|consume new|keep [gc]] [--block=MIB] [--threads=N] "
                     "[--count=N] [--rounds=N]")


def main(args):
    global BLOCK, FLIGHT, COUNT, ROUNDS
    words, options = [], []
    for arg in args:
        (options if arg.startswith("--") else words).append(arg)
    for option in options:
        name, _, value = option[2:].partition("=")
        if not value.isdigit() or int(value) == 0:
            usage()
        if name == "block":
            BLOCK = int(value) * MIB
        elif name == "threads":
            FLIGHT = int(value)
        elif name == "count":
            COUNT = int(value)
        elif name == "rounds":
            ROUNDS = int(value)
        else:
            usage()
    if not words:
        return all_rows(options)
    good = (2 <= len(words) <= 3 and words[0] in ("produce", "consume")
            and words[1] in ("new", "keep") and words[2:] in ([], ["gc"]))
    if not good:
        usage()
    one_row(words)


if __name__ == "__main__":
    main(sys.argv[1:])
