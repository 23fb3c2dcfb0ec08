# queue: order, blocking, timeouts, task_done and join, and that an item is held by nobody else.
import queue
import threading


def plain():
    q = queue.Queue()
    print(q.empty(), q.qsize(), q.full())
    for i in range(3):
        q.put(i)
    print(q.qsize(), q.get(), q.get(block=False), q.get_nowait(), q.empty())
    for call in (q.get_nowait, lambda: q.get(timeout=0.01), lambda: q.get(False)):
        try:
            call()
        except queue.Empty as error:
            print("Empty", error.args)
    small = queue.Queue(maxsize=1)
    small.put("a")
    print(small.full())
    for call in (lambda: small.put_nowait(1), lambda: small.put(1, timeout=0.01)):
        try:
            call()
        except queue.Full as error:
            print("Full", error.args)
    try:
        q.get(timeout=-1)
    except ValueError as error:
        print("ValueError:", error)


def kinds():
    lifo = queue.LifoQueue()
    heap = queue.PriorityQueue()
    simple = queue.SimpleQueue()
    for i in (3, 1, 2):
        for q in (lifo, heap, simple):
            q.put(i)
    for q in (lifo, heap, simple):
        print([q.get() for _ in range(3)])
    try:
        simple.get_nowait()
    except queue.Empty:
        print("Empty")
    try:
        simple.get(timeout=0.01)
    except queue.Empty:
        print("Empty", simple.empty(), simple.qsize())


def producers_and_consumers():
    for make in (lambda: queue.Queue(5), queue.Queue, queue.SimpleQueue):
        q = make()
        got = [[] for _ in range(3)]

        def produce(base):
            for i in range(200):
                q.put(base + i)

        def consume(out):
            while True:
                item = q.get()
                if item is None:
                    return
                out.append(item)

        producers = [threading.Thread(target=produce, args=(k * 1000,)) for k in range(3)]
        consumers = [threading.Thread(target=consume, args=(out,)) for out in got]
        for t in producers + consumers:
            t.start()
        for t in producers:
            t.join()
        for _ in consumers:
            q.put(None)
        for t in consumers:
            t.join()
        whole = sorted(sum(got, []))
        print(whole == [k * 1000 + i for k in range(3) for i in range(200)])
        # Each producer's items come in order.
        print(all(part == sorted(part) for out in got for part in ([x for x in out if x // 1000 == k] for k in range(3))))


def tasks():
    q = queue.Queue()
    done = []

    def work():
        while True:
            item = q.get()
            if item is None:
                return
            done.append(item)
            q.task_done()

    t = threading.Thread(target=work)
    t.start()
    for i in range(10):
        q.put(i)
    q.join()
    print(done)
    q.put(None)
    t.join()
    q.task_done()
    try:
        q.task_done()
    except ValueError as error:
        print("ValueError:", error)


def references():
    class Item:
        alive = 0

        def __init__(self):
            Item.alive += 1

        def __del__(self):
            Item.alive -= 1

    for q in (queue.Queue(), queue.Queue(2), queue.SimpleQueue(), queue.LifoQueue()):
        q.put(Item())
        before = Item.alive
        q.get()
        print(before, Item.alive)

    q = queue.Queue()
    q.put(Item())
    del q
    print(Item.alive)


for test in (plain, kinds, producers_and_consumers, tasks, references):
    print("--", test.__name__)
    test()
