"""Runs the test passes of tools/test and counts the results.

A pass is one Bazel configuration with a set of tests. The counts come from the
XML that each test wrote: one for every test case. A test that crashed, timed out
or could not be built counts as one failure more. Last comes the line
"N passed, M failed".
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.parse
import xml.etree.ElementTree as ElementTree

from bazel_command import bazel

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# What each pass leaves out: tests say by a tag where they cannot fail or cannot
# run ("no-asan", ...), or that they belong to the full suite only ("full").
# "once": programs outside of this build, which another configuration does not change.
# The sanitizers for addresses and for undefined behaviour share a build in the
# quick suite.
QUICK = [
    ("default", [], ["-full"]),
    ("asan+ubsan", ["asan_ubsan"], ["-full", "-no-asan"]),
    ("tsan", ["tsan"], ["-full", "-no-tsan"]),
    ("sched", ["sched"], ["-full", "sched"]),
]
FULL = [
    ("default", [], []),
    ("debug", ["debug"], ["-once"]),
    ("asan", ["asan"], ["-no-asan"]),
    ("ubsan", ["ubsan"], ["-once"]),
    ("tsan", ["tsan"], ["-no-tsan"]),
    ("sched", ["sched"], ["-no-sched", "-once"]),
    ("clang", ["clang"], ["-once"]),
]
# Cross-compiled, under qemu: the layers' own tests (//api:... has C programs to run).
ARM64 = ["//%s/..." % layer for layer in ("base", "qsbr", "allocator", "object", "gc")]
ARM64_TAGS = ["-full", "-once", "-no-arm64"]
FULL_SECONDS = "20"


class Totals:
    """What was counted so far, and the names of what failed."""

    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.failures = []

    def fail(self, what):
        self.failed += 1
        self.failures.append(what)


def read_xml(path):
    """Returns the passed and the failed test cases of one test.xml."""
    passed, failed = [], []
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return passed, failed
    for case in root.iter("testcase"):
        name = "%s.%s" % (case.get("classname", ""), case.get("name", ""))
        if case.get("status") == "notrun" or case.find("skipped") is not None:
            continue
        bad = case.find("failure") is not None or case.find("error") is not None
        (failed if bad else passed).append(name)
    return passed, failed


def file_of(uri):
    return urllib.parse.unquote(urllib.parse.urlparse(uri).path)


def read_events(path, label, totals):
    """Adds up the results in Bazel's event file. Returns the number of tests."""
    tests = {}
    broken = []
    with open(path, encoding="utf-8", errors="replace") as events:
        for line in events:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            ident = event.get("id", {})
            if "testResult" in ident and "testResult" in event:
                name = ident["testResult"]["label"]
                tests.setdefault(name, []).append(event["testResult"])
            elif "targetCompleted" in ident:
                if not event.get("completed", {}).get("success"):
                    broken.append(ident["targetCompleted"]["label"])
    for name, results in sorted(tests.items()):
        for result in results:
            xml = [o["uri"] for o in result.get("testActionOutput", [])
                   if o.get("name") == "test.xml" and "uri" in o]
            passed, failed = read_xml(file_of(xml[0])) if xml else ([], [])
            totals.passed += len(passed)
            for case in failed:
                totals.fail("%s %s %s" % (label, name, case))
            status = result.get("status")
            if status not in ("PASSED", "FLAKY") and not failed:
                totals.fail("%s %s (%s)" % (label, name, status))
    for name in broken:
        if name not in tests:
            totals.fail("%s %s (not built)" % (label, name))
    return len(tests)


def targets_of(tags, targets):
    """The tests of this pass: those with every plain tag and no '-tag'."""
    query = "tests(set(%s))" % " ".join(targets or ["//..."])
    for tag in tags:
        # As Bazel writes the list: "[no-sched, once]" has no tag "sched".
        pattern = r"[\[ ]%s[,\]]" % tag.lstrip("-")
        if tag.startswith("-"):
            query = '(%s) except attr(tags, "%s", %s)' % (query, pattern, query)
        else:
            query = 'attr(tags, "%s", %s)' % (pattern, query)
    done = subprocess.run(bazel("query", "--noshow_progress", query), cwd=ROOT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.stderr.write(done.stderr)
        return None
    return [line for line in done.stdout.split("\n") if line.startswith("//")]


def run_pass(label, configs, tags, targets, mode, totals):
    tests = targets_of(tags, targets)
    if tests is None:
        totals.fail("%s: the BUILD files could not be read" % label)
        return
    if not tests:
        print("tidepool: %-11s no test matches" % label, flush=True)
        return
    print("tidepool: %-11s %d test programs ..." % (label, len(tests)), flush=True)
    before = (totals.passed, totals.failed, time.time())
    with tempfile.TemporaryDirectory() as folder:
        events = os.path.join(folder, "events.json")
        command = bazel("test", "--keep_going", "--test_output=errors",
                        "--build_event_json_file=" + events, "--ui_event_filters=-info")
        command += ["--config=" + c for c in configs]
        if "arm64" in configs:
            cross = os.path.join(ROOT, "tools", "internal", "arm64", "cc")
            command += ["--repo_env=CC=" + cross, "--action_env=CC=" + cross]
        if not sys.stderr.isatty():
            command += ["--noshow_progress"]
        if mode == "full":
            command += ["--test_env=TIDEPOOL_TEST_SECONDS=" + FULL_SECONDS,
                        "--test_timeout=300,900,1800,3600"]
        code = subprocess.run(command + ["--"] + tests, cwd=ROOT).returncode
        if not os.path.exists(events):
            totals.fail("%s: Bazel ended with status %d" % (label, code))
            return
        ran = read_events(events, label, totals)
    if code not in (0, 3) and totals.failed == before[1]:
        totals.fail("%s: Bazel ended with status %d" % (label, code))
    if ran < len(tests) and totals.failed == before[1]:
        totals.fail("%s: only %d of %d test programs ran" % (label, ran, len(tests)))
    print("tidepool: %-11s %d passed, %d failed, %.0f s" % (
        label, totals.passed - before[0], totals.failed - before[1],
        time.time() - before[2]), flush=True)


def run_tree_checks(totals):
    """The checks of the tree itself; each prints 'ok NAME' or 'FAILED NAME ...'."""
    script = os.path.join(ROOT, "tools", "checks", "check_tree.py")
    done = subprocess.run([sys.executable, script], text=True, stdout=subprocess.PIPE)
    count = 0
    for line in done.stdout.splitlines():
        if line.startswith("ok "):
            totals.passed += 1
            count += 1
        else:
            print(line)
            if line.startswith("FAILED "):
                totals.fail("tree " + line[7:])
    if done.returncode != 0 and not any(f.startswith("tree ") for f in totals.failures):
        totals.fail("tree: check_tree.py ended with status %d" % done.returncode)
    print("tidepool: %-11s %d passed" % ("tree", count), flush=True)


def run_extra(label, command, totals):
    print("tidepool: %-11s ..." % label, flush=True)
    if subprocess.run(command, cwd=ROOT).returncode == 0:
        totals.passed += 1
    else:
        totals.fail(label)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", choices=["quick", "full", "chosen"], required=True)
    parser.add_argument("--config", action="append", default=[])
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args()
    totals = Totals()
    if options.mode == "chosen":
        arm64 = options.config == ["arm64"]
        run_pass("+".join(options.config) or "default", options.config,
                 ARM64_TAGS if arm64 else [],
                 options.targets or (ARM64 if arm64 else []), "quick", totals)
    else:
        run_tree_checks(totals)
        for label, configs, tags in QUICK if options.mode == "quick" else FULL:
            run_pass(label, configs, tags, [], options.mode, totals)
    if options.mode == "full":
        run_pass("arm64", ["arm64"], ARM64_TAGS, ARM64, options.mode, totals)
        run_extra("mutants", ["tools/internal/mutants"], totals)
        run_extra("models", ["tests/models/run.sh"], totals)
    for failure in totals.failures:
        print("FAILED %s" % failure)
    if totals.passed + totals.failed == 0:
        totals.fail("no test was executed")
    print("%d passed, %d failed" % (totals.passed, totals.failed), flush=True)
    return 1 if totals.failed else 0


if __name__ == "__main__":
    sys.exit(main())
