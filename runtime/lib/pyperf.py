"""A stand-in for pyperf: runs a benchmark a few times in this process, prints the best time.

Options of the command line: --runs N (default 3), and what the benchmark adds to
runner.argparser.
"""

import argparse
import sys
import time
from time import perf_counter


def format_seconds(seconds):
    if seconds < 1e-6:
        return "%.1f ns" % (seconds * 1e9)
    if seconds < 1e-3:
        return "%.2f us" % (seconds * 1e6)
    if seconds < 1:
        return "%.2f ms" % (seconds * 1e3)
    return "%.3f s" % seconds


class Runner:
    def __init__(self, values=None, processes=None, loops=0, min_time=0.1, metadata=None,
                 add_cmdline_args=None, **ignored):
        self.metadata = {} if metadata is None else metadata
        self.argparser = argparse.ArgumentParser(add_help=True)
        self.argparser.add_argument("--runs", type=int, default=3, help="how often (default 3)")
        self.args = None
        self._min_time = min_time

    def parse_args(self, args=None):
        if self.args is None:
            self.args = self.argparser.parse_args(args)
        return self.args

    def bench_func(self, name, function, *args, inner_loops=1, **ignored):
        def run(loops, *args):
            start = perf_counter()
            for _ in range(loops):
                function(*args)
            return perf_counter() - start
        return self._bench(name, run, args, inner_loops)

    def bench_time_func(self, name, function, *args, inner_loops=1, **ignored):
        return self._bench(name, function, args, inner_loops)

    def _bench(self, name, run, args, inner_loops):
        options = self.parse_args()
        # One loop first: warms up, and says how many loops make a measurement.
        first = run(1, *args)
        loops = 1 if first >= self._min_time else max(1, int(self._min_time / max(first, 1e-7)))
        best = None
        for _ in range(options.runs):
            seconds = run(loops, *args) / loops / (inner_loops or 1)
            if best is None or seconds < best:
                best = seconds
        print("%s: best of %d: %s" % (name, options.runs, format_seconds(best)))
        return best


def python_implementation():
    return sys.implementation.name


def add_runs(*args):
    pass
