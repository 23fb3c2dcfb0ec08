# A pipeline of threads: words are read, counted and merged by stages with queues, with a sentinel, errors carried to the end.
import queue
import threading
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor

TEXT = """the quick brown fox jumps over the lazy dog and the dog does not mind
a lazy fox is a slow fox but a quick dog is a quick dog
so the brown dog and the brown fox jump and jump until the day is done""".split("\n")
DONE = object()


class Stage(threading.Thread):
    def __init__(self, function, source, sink, workers):
        super().__init__(name=function.__name__)
        self.function, self.source, self.sink, self.workers = function, source, sink, workers
        self.errors = []

    def run(self):
        while True:
            item = self.source.get()
            if item is DONE:
                self.workers.release()
                self.source.put(DONE)
                return
            try:
                for out in self.function(item):
                    self.sink.put(out)
            except ValueError as e:
                self.errors.append((item, e))


def lines(n):
    for word in TEXT[n % 3].split():
        yield word


def measure(word):
    if word == "mind":
        raise ValueError("not " + word)
    yield word, len(word)


def pipeline(items, *stages):
    queues = [queue.Queue(maxsize=16) for _ in stages] + [queue.Queue()]
    groups = []
    for f, count, source, sink in [(f, c, queues[i], queues[i + 1]) for i, (f, c) in enumerate(stages)]:
        left = threading.Semaphore(0)
        groups.append((left, [Stage(f, source, sink, left) for _ in range(count)]))
    for _, threads in groups:
        for t in threads:
            t.start()
    for item in items:
        queues[0].put(item)
    for i, (left, threads) in enumerate(groups):
        queues[i].put(DONE)
        for _ in threads:
            left.acquire()
        for t in threads:
            t.join()
    results = []
    while True:
        try:
            results.append(queues[-1].get_nowait())
        except queue.Empty:
            break
    return results, [e for _, threads in groups for t in threads for e in t.errors]


results, errors = pipeline(range(30), (lines, 3), (measure, 4))
counts = Counter(w for w, n in results)
print(len(results), sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))[:4], sorted(counts)[:5])
print(len(errors), {item for item, e in errors}, {str(e) for item, e in errors}, {type(e).__name__ for item, e in errors})
by_length = defaultdict(set)
for w, n in results:
    by_length[n].add(w)
print({n: sorted(ws) for n, ws in sorted(by_length.items())})


# The same with a pool: map, then reduce as a tree.
def count(line):
    return Counter(line.split())


with ThreadPoolExecutor(max_workers=4) as pool:
    parts = list(pool.map(count, [TEXT[n % 3] for n in range(30)]))
    while len(parts) > 1:
        pairs = [(parts[i], parts[i + 1]) for i in range(0, len(parts) - 1, 2)]
        rest = parts[len(pairs) * 2:]
        parts = list(pool.map(lambda p: p[0] + p[1], pairs)) + rest
total = parts[0]
print(total["the"], sum(total.values()), {w: n - counts[w] for w, n in total.items() if n != counts[w]})

# A priority queue as a sorter, a lifo queue as a stack, join and task_done.
pq, stack, q = queue.PriorityQueue(), queue.LifoQueue(), queue.Queue()
for w in TEXT[0].split():
    pq.put((len(w), w))
    stack.put(w)
print([pq.get()[1] for _ in range(pq.qsize())], [stack.get() for _ in range(3)])
seen = []


def worker():
    while True:
        n = q.get()
        seen.append(n * n)
        q.task_done()


for _ in range(3):
    threading.Thread(target=worker, daemon=True).start()
for n in range(100):
    q.put(n)
q.join()
print(sorted(seen) == [n * n for n in range(100)], q.unfinished_tasks if hasattr(q, "unfinished_tasks") else 0)
