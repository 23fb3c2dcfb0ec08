"""Python threads, subprocesses, forks and big data; every line printed is determined."""
import json
import os
import queue
import subprocess
import sys
import threading

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 3


def document(n):
    return {"items": [{"id": i, "name": "item %d" % i, "tags": ["a" * (i % 50), str(i)],
                       "nested": {"k": [i, i + 0.5, None, True]}} for i in range(n)]}


def produce(out, n):
    for i in range(n):
        out.put(bytes([i % 256]) * (1000 + 37 * i % 300000))
    out.put(None)


def consume(source, sums):
    total = 0
    while True:
        block = source.get()
        if block is None:
            break
        total += len(block) + block[0]
        text = json.dumps(document(20))
        total += len(json.loads(text)["items"])
    sums.append(total)


for turn in range(ROUNDS):
    sums, threads = [], []
    for _ in range(3):
        q = queue.Queue(8)
        threads.append(threading.Thread(target=produce, args=(q, 150)))
        threads.append(threading.Thread(target=consume, args=(q, sums)))
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(turn, sums)
    child = os.fork()
    if child == 0:
        data = [document(30) for _ in range(10)]
        os._exit(0 if len(json.dumps(data)) > 1000 else 1)
    print(os.waitpid(child, 0)[1])
done = subprocess.run([sys.executable, "-c", "print(sum(len(str(i)) for i in range(20000)))"],
                      stdout=subprocess.PIPE)
print(done.stdout, done.returncode)
big = {i: "value %d" % i for i in range(50000)}
for i in range(0, 50000, 3):
    del big[i]
words = sorted(big.values())
print(len(big), words[1000], sum(map(len, words)))
