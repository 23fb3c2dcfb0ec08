"""Random numbers: CPython's Mersenne twister, the same sequences from the same seeds."""

import _random
from math import log as _log, exp as _exp, sqrt as _sqrt, cos as _cos, sin as _sin, acos as _acos
from math import floor as _floor, ceil as _ceil, pi as _pi, e as _e
from bisect import bisect as _bisect
from itertools import accumulate as _accumulate

TWOPI = 2.0 * _pi
NV_MAGICCONST = 4 * _exp(-0.5) / _sqrt(2.0)
LOG4 = _log(4.0)
SG_MAGICCONST = 1.0 + _log(4.5)
BPF = 53


class Random:
    def __init__(self, x=None):
        self._source = _random.Random()
        self.random = self._source.random
        self.getrandbits = self._source.getrandbits
        self._small_below = self._source.below
        self.gauss_next = None
        self.seed(x)

    def seed(self, a=None, version=2):
        if isinstance(a, (str, bytes, bytearray)):
            if isinstance(a, str):
                a = a.encode()
            a = int.from_bytes(bytes(a) + _random.sha512(bytes(a)), "big")
        elif not (a is None or isinstance(a, (int, float))):
            raise TypeError("The only supported seed types are: None,\n"
                            "int, float, str, bytes, and bytearray.")
        self._source.seed(a)
        self.gauss_next = None

    def getstate(self):
        return 3, self._source.getstate(), self.gauss_next

    def setstate(self, state):
        self._source.setstate(state[1])
        self.gauss_next = state[2]

    def randbytes(self, n):
        return self.getrandbits(n * 8).to_bytes(n, "little")

    def _below(self, n):
        r = self._small_below(n)  # None if n is not small
        if r is not None:
            return r
        k = n.bit_length()
        getrandbits = self.getrandbits
        r = getrandbits(k)
        while r >= n:
            r = getrandbits(k)
        return r

    def randrange(self, start, stop=None, step=1):
        start = start.__index__()
        if stop is None:
            if start > 0:
                return self._below(start)
            raise ValueError("empty range for randrange()")
        stop = stop.__index__()
        width = stop - start
        if step == 1:
            if width > 0:
                r = self._small_below(width)
                return start + (self._below(width) if r is None else r)
            raise ValueError("empty range for randrange() (%d, %d, %d)" % (start, stop, width))
        step = step.__index__()
        if step > 0:
            n = (width + step - 1) // step
        elif step < 0:
            n = (width + step + 1) // step
        else:
            raise ValueError("zero step for randrange()")
        if n <= 0:
            raise ValueError("empty range for randrange()")
        return start + step * self._below(n)

    def randint(self, a, b):
        return self.randrange(a, b + 1)

    def choice(self, seq):
        n = len(seq)
        if not n:
            raise IndexError("Cannot choose from an empty sequence")
        i = self._small_below(n)
        return seq[self._below(n) if i is None else i]

    def shuffle(self, x):
        below = self._below
        for i in reversed(range(1, len(x))):
            j = below(i + 1)
            x[i], x[j] = x[j], x[i]

    def sample(self, population, k, *, counts=None):
        if isinstance(population, (set, frozenset, dict)):
            raise TypeError("Population must be a sequence.  For dicts or sets, use sorted(d).")
        if counts is not None:
            ends = list(_accumulate(counts))
            total = ends.pop() if ends else 0
            chosen = self.sample(range(total), k)
            return [population[_bisect(ends, s)] for s in chosen]
        n = len(population)
        if not 0 <= k <= n:
            raise ValueError("Sample larger than population or is negative")
        below = self._below
        result = [None] * k
        setsize = 21
        if k > 5:
            setsize += 4 ** _ceil(_log(k * 3, 4))
        if n <= setsize:
            pool = list(population)
            for i in range(k):
                j = below(n - i)
                result[i] = pool[j]
                pool[j] = pool[n - i - 1]
        else:
            seen = set()
            for i in range(k):
                j = below(n)
                while j in seen:
                    j = below(n)
                seen.add(j)
                result[i] = population[j]
        return result

    def choices(self, population, weights=None, *, cum_weights=None, k=1):
        random = self.random
        n = len(population)
        if cum_weights is None:
            if weights is None:
                n += 0.0
                return [population[_floor(random() * n)] for _ in range(k)]
            cum_weights = list(_accumulate(weights))
        elif weights is not None:
            raise TypeError("Cannot specify both weights and cumulative weights")
        if len(cum_weights) != n:
            raise ValueError("The number of weights does not match the population")
        total = cum_weights[-1] + 0.0
        if total <= 0.0:
            raise ValueError("Total of weights must be greater than zero")
        return [population[_bisect(cum_weights, random() * total, 0, n - 1)] for _ in range(k)]

    def uniform(self, a, b):
        return a + (b - a) * self.random()

    def triangular(self, low=0.0, high=1.0, mode=None):
        u = self.random()
        try:
            c = 0.5 if mode is None else (mode - low) / (high - low)
        except ZeroDivisionError:
            return low
        if u > c:
            u = 1.0 - u
            c = 1.0 - c
            low, high = high, low
        return low + (high - low) * _sqrt(u * c)

    def normalvariate(self, mu=0.0, sigma=1.0):
        random = self.random
        while True:
            u1 = random()
            u2 = 1.0 - random()
            z = NV_MAGICCONST * (u1 - 0.5) / u2
            if z * z / 4.0 <= -_log(u2):
                break
        return mu + z * sigma

    def gauss(self, mu=0.0, sigma=1.0):
        z = self.gauss_next
        self.gauss_next = None
        if z is None:
            x2pi = self.random() * TWOPI
            g2rad = _sqrt(-2.0 * _log(1.0 - self.random()))
            z = _cos(x2pi) * g2rad
            self.gauss_next = _sin(x2pi) * g2rad
        return mu + z * sigma

    def lognormvariate(self, mu, sigma):
        return _exp(self.normalvariate(mu, sigma))

    def expovariate(self, lambd):
        return -_log(1.0 - self.random()) / lambd

    def betavariate(self, alpha, beta):
        y = self.gammavariate(alpha, 1.0)
        if y:
            return y / (y + self.gammavariate(beta, 1.0))
        return 0.0

    def gammavariate(self, alpha, beta):
        if alpha <= 0.0 or beta <= 0.0:
            raise ValueError("gammavariate: alpha and beta must be > 0.0")
        random = self.random
        if alpha > 1.0:
            ainv = _sqrt(2.0 * alpha - 1.0)
            bbb = alpha - LOG4
            ccc = alpha + ainv
            while True:
                u1 = random()
                if not 1e-7 < u1 < 0.9999999:
                    continue
                u2 = 1.0 - random()
                v = _log(u1 / (1.0 - u1)) / ainv
                x = alpha * _exp(v)
                z = u1 * u1 * u2
                r = bbb + ccc * v - x
                if r + SG_MAGICCONST - 4.5 * z >= 0.0 or r >= _log(z):
                    return x * beta
        if alpha == 1.0:
            return -_log(1.0 - random()) * beta
        while True:
            u = random()
            b = (_e + alpha) / _e
            p = b * u
            if p <= 1.0:
                x = p ** (1.0 / alpha)
            else:
                x = -_log((b - p) / alpha)
            u1 = random()
            if p > 1.0:
                if u1 <= x ** (alpha - 1.0):
                    break
            elif u1 <= _exp(-x):
                break
        return x * beta

    def paretovariate(self, alpha):
        return (1.0 - self.random()) ** (-1.0 / alpha)

    def weibullvariate(self, alpha, beta):
        return alpha * (-_log(1.0 - self.random())) ** (1.0 / beta)


_instance = Random()
seed = _instance.seed
random = _instance.random
uniform = _instance.uniform
triangular = _instance.triangular
randint = _instance.randint
choice = _instance.choice
randrange = _instance.randrange
sample = _instance.sample
shuffle = _instance.shuffle
choices = _instance.choices
normalvariate = _instance.normalvariate
lognormvariate = _instance.lognormvariate
expovariate = _instance.expovariate
gammavariate = _instance.gammavariate
gauss = _instance.gauss
betavariate = _instance.betavariate
paretovariate = _instance.paretovariate
weibullvariate = _instance.weibullvariate
getstate = _instance.getstate
setstate = _instance.setstate
getrandbits = _instance.getrandbits
randbytes = _instance.randbytes
