# seconds: 120
# skip: tsan
# Background threads that allocate, collect and drop weakrefs while the main thread ends, at moments that
# differ (python/cpython#124149): the process ends at once, with its status.
import subprocess
import sys

CHILD = """
import gc, sys, threading, time, weakref
class Node:
    def __init__(self):
        self.me = self
def work():
    refs = []
    while True:
        node = Node()
        refs.append(weakref.ref(node, lambda ref: None))
        if len(refs) > 50:
            refs.clear()
            gc.collect()
for _ in range(8):
    threading.Thread(target=work, daemon=True).start()
time.sleep(%f)
sys.exit(%d)
"""

statuses = []
for i in range(12):
    done = subprocess.run([sys.executable, "-c", CHILD % (i * 0.007, i)], capture_output=True, text=True, timeout=30)
    statuses.append((done.returncode, done.stderr))
print([status for status, _ in statuses])
print([text for _, text in statuses if text])
