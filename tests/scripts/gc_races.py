# seconds: 120
# The collector used by many threads at once: the list of callbacks changes while callbacks are called
# (python/cpython#157100), switches, thresholds, policies of ours where they exist, figures and lists.
import gc
import threading
import weakref

ROUNDS = 60
heard = [0]
wrong = []
lock = threading.Lock()


class Node:
    def __init__(self):
        self.me = self


def listen(phase, info):
    with lock:
        heard[0] += 1
    if phase not in ("start", "stop"):
        wrong.append(phase)


def collect():
    for _ in range(ROUNDS):
        for _ in range(20):
            Node()
        gc.collect()


def change_callbacks():
    for _ in range(ROUNDS * 20):
        gc.callbacks.append(listen)
        gc.callbacks.append(lambda phase, info: None)
        gc.callbacks.clear()


def switch():
    for i in range(ROUNDS):
        gc.set_threshold(100 + i)
        gc.disable()
        gc.get_count()
        gc.enable()
        gc.get_stats()
        if hasattr(gc, "set_policy"):
            gc.set_policy(("live_bytes", "threshold", "pause:ms=1", "memory_limit:limit=64m")[i % 4])


def look():
    for i in range(8):
        ring = Node()
        refs = [weakref.ref(ring, lambda ref: None) for _ in range(5)]
        if not gc.is_tracked(ring) or gc.is_finalized(ring):
            wrong.append("tracked")
        if not any(o is ring for o in gc.get_objects()):
            wrong.append("get_objects")
        if not any(o is ring for o in gc.get_referents(refs, [ring])):
            wrong.append("get_referents")
        del ring


threads = [threading.Thread(target=f) for f in [collect] * 3 + [change_callbacks] * 3 + [switch, look]]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
gc.callbacks.append(listen)
before = heard[0]
gc.collect()
gc.callbacks.clear()
print(wrong, heard[0] - before)
ref = weakref.ref(Node())
gc.collect()
print(ref() is None, gc.isenabled(), gc.callbacks)
