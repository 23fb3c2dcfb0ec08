# Functions run in threads of their own, for the scripts that import this one.
import threading


def start(*bodies):
    threads = [threading.Thread(target=b) for b in bodies]
    for t in threads:
        t.start()
    return threads


def join(threads):
    for t in threads:
        t.join()


def run(*bodies):
    join(start(*bodies))


def together(*bodies):
    """They begin at the same moment; what they raise is printed."""
    barrier = threading.Barrier(len(bodies))
    errors = []

    def attempt(body):
        barrier.wait()
        try:
            body()
        except Exception as e:
            errors.append(repr(e))
    run(*[lambda b=b: attempt(b) for b in bodies])
    print(errors)


if __name__ == "__main__":
    done = []
    run(lambda: done.append(1), lambda: done.append(2))
    together(lambda: done.append(3), lambda: done[9])
    print(sorted(done))
