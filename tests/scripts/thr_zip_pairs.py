# Threads that share a zip, an enumerate or a map of two lists: each pair is of one step.
import threading

N = 20000


def share(iterator):
    """What four threads took out of it."""
    taken = [[] for _ in range(4)]
    barrier = threading.Barrier(4)

    def work(out):
        barrier.wait()
        for pair in iterator:
            out.append(pair)

    threads = [threading.Thread(target=work, args=(out,)) for out in taken]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return [pair for out in taken for pair in out]


def numbers():
    for i in range(N):
        yield i


squares = [i * i for i in range(N)]
for name, iterator in (("zip", zip(range(N), squares)), ("zip of lists", zip(list(range(N)), squares)),
                       ("enumerate", enumerate(squares)), ("map", map(lambda a, b: (a, b), list(range(N)), squares))):
    pairs = share(iterator)
    print(name, all(b == a * a for a, b in pairs), len(pairs) == N, len(set(pairs)) == N)


class Zip(zip):
    pass


own = Zip([1, 2], [3, 4])
own.note = "an attribute"


def feed():
    for i in range(3):
        other.count = i  # of the iterator that is being stepped
        yield i


class Enumerate(enumerate):
    pass


other = Enumerate(feed())
print(list(own), own.note, list(other), other.count)
