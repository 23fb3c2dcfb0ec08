# args: 1
"""Eight equal pieces of pure computation on one thread, or shared by as many as the second argument says."""
import sys
import threading


def mix(state):
    return (state * 1103515245 + 12345) & 0x7FFFFFFF


def piece(seed, steps):
    weights = [0.5 + 0.25 * i for i in range(8)]
    x = 0.0
    turns = 0
    for i in range(steps):
        seed = mix(seed)
        move = (seed >> 16) % 7 - 3
        x = x * 0.999 + move * weights[i & 7]
        if x > 20.0:
            x -= 40.0
            turns += 1
    return turns * 1000 + int(x)


def main(scale, threads):
    results = [0] * 8

    def work(first):
        for i in range(first, 8, threads):
            results[i] = piece(i + 1, 5000 * scale)

    started = [threading.Thread(target=work, args=(i,)) for i in range(1, threads)]
    for t in started:
        t.start()
    work(0)
    for t in started:
        t.join()
    print(results)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 10, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
