"""Large blocks made on one thread and freed on another.

usage: pool.py [produce|consume new|keep [gc]]

  produce  a worker makes a block of 16 MiB, the main thread drops it
  consume  the main thread reads a block of 16 MiB, a worker takes its checksum and drops it
  new      every round has a pool of its own, whose threads end with the round
  keep     one pool of threads for all rounds
  gc       a collection after every round

Ten rounds of 64 blocks, so 10 GiB go through, but never more than 8 blocks are in flight:
the need is 8 x 16 MiB, for `produce` also the pattern that is copied, and what the
interpreter has before it starts.  A runtime that keeps freed memory for the thread that
freed it, or until threads that look at nothing have moved on, peaks at a multiple of that.
The last column says what multiple.

Without arguments all eight rows are run, each in a process of its own.
"""

import collections, concurrent.futures, gc, resource, subprocess, sys, time, zlib

BLOCK = 16 << 20
FLIGHT = 8
ROUNDS = 10
COUNT = 64
MIB = 1 << 20

ROW = "%-16s %9s %9s %12s %6s %8s"


def peak():
    """The most memory this process has had resident, in MiB."""
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
                 f"{peak() / need:.2f}", f"{seconds:.1f} s"), flush=True)


def all_rows():
    print(ROW % ("row", "at start", "need", "peak", "ratio", "time"), flush=True)
    for work in ("produce", "consume"):
        for pool in ("new", "keep"):
            for collect in ((), ("gc",)):
                done = subprocess.run([sys.executable, sys.argv[0], work, pool, *collect],
                                      capture_output=True, text=True)
                print(done.stdout, end="", flush=True)
                if done.returncode != 0:
                    print(done.stderr, end="", file=sys.stderr)
                    sys.exit(done.returncode)


def main(args):
    if not args:
        return all_rows()
    good = (2 <= len(args) <= 3 and args[0] in ("produce", "consume")
            and args[1] in ("new", "keep") and args[2:] in ([], ["gc"]))
    if not good:
        raise SystemExit("usage: pool.py [produce|consume new|keep [gc]]")
    one_row(args)


if __name__ == "__main__":
    main(sys.argv[1:])
