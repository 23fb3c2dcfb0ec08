# random: the sequences of CPython.
import random

for seed in (0, 1, 42, -7, 2**40, 2**100 + 3, "text", b"bytes", 1.5, ""):
    r = random.Random(seed)
    print(seed if len(repr(seed)) < 20 else "big", r.random(), r.getrandbits(10), r.getrandbits(32), r.getrandbits(70))
r = random.Random(5)
print([r.randrange(10) for _ in range(10)], [r.randint(1, 6) for _ in range(10)], r.randrange(5, 100, 5))
print([r.randrange(2**63) for _ in range(3)], r.randrange(10**30))
print(r.choice("abc"), r.choice([1, 2, 3]), r.sample(range(100), 5), r.sample(range(10**6), 12), r.sample("abcdef", 6))
x = list(range(20))
r.shuffle(x)
print(x)
print(r.uniform(1, 2), r.gauss(0, 1), r.gauss(0, 1), r.normalvariate(0, 1), r.expovariate(2), r.triangular(0, 1, 0.5))
print(r.betavariate(1, 2), r.gammavariate(2, 3), r.gammavariate(0.5, 1), r.paretovariate(3), r.weibullvariate(1, 2))
print(r.choices("abc", k=5), r.choices("abc", weights=[1, 5, 1], k=5), r.randbytes(5), r.lognormvariate(0, 1))
state = r.getstate()
first = [r.random() for _ in range(3)]
r.setstate(state)
print(first == [r.random() for _ in range(3)])
random.seed(9)
print(random.random(), random.randrange(100), random.choice("xyz"), random.getrandbits(64))
for call in (lambda: r.randrange(0), lambda: r.choice([]), lambda: r.sample([1], 2), lambda: r.randrange(5, 5),
             lambda: r.getrandbits(-1), lambda: random.Random([])):
    try:
        call()
    except (ValueError, IndexError, TypeError) as error:
        print(type(error).__name__)
