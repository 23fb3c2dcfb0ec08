"""Runs a program and watches its resident memory from outside.

watch(command, environment) -> Run, whose `rss` is a list of (seconds, MiB) and whose
`peak` is the kernel's own high-water mark (VmHWM) as last seen. The program is asked a
hundred times a second; a peak shorter than that is still in the high-water mark.
"""

import os
import subprocess
import tempfile
import time


class Run:
    def __init__(self):
        self.status = None
        self.output = ""
        self.rss = []
        self.peak = 0.0
        self.seconds = 0.0
        self.cpu = 0.0


def _memory(pid):
    """(resident, high water) in MiB, or None when the process has no memory any more."""
    try:
        with open("/proc/%d/status" % pid) as file:
            text = file.read()
    except OSError:
        return None
    found = {}
    for line in text.splitlines():
        if line.startswith(("VmRSS:", "VmHWM:")):
            found[line[:5]] = int(line.split()[1]) / 1024
    return (found["VmRSS"], found["VmHWM"]) if len(found) == 2 else None


def watch(command, environment=None, timeout=600, step=0.01):
    run = Run()
    env = dict(os.environ, **(environment or {}))
    with tempfile.TemporaryFile() as out:
        start = time.monotonic()
        process = subprocess.Popen(command, env=env, stdout=out, stderr=subprocess.STDOUT)
        while True:
            done, status, use = os.wait4(process.pid, os.WNOHANG)
            now = time.monotonic() - start
            if done:
                break
            if now > timeout:
                process.kill()
            # Not while the child is still a copy of this program.
            memory = _memory(process.pid) if now > 0.005 else None
            if memory:
                run.rss.append((now, memory[0]))
                run.peak = max(run.peak, memory[1])
            time.sleep(step)
        process.returncode = run.status = os.waitstatus_to_exitcode(status)
        run.seconds = now
        run.cpu = use.ru_utime + use.ru_stime
        out.seek(0)
        run.output = out.read().decode(errors="replace")
    return run
