"""Averages and spread.

Sums are exact: a float is a fraction whose denominator is a power of two, so the sum of
many is one fraction of integers, divided once at the end and rounded once.
"""

from math import fsum, sqrt, isqrt, isfinite, log as _log, exp as _exp


class StatisticsError(ValueError):
    pass


def _ratio(x):
    """x as (numerator, denominator); infinities and NaN as (x, None)."""
    if isinstance(x, int):
        return int(x), 1
    if isinstance(x, float):
        if not isfinite(x):
            return x, None
        return x.as_integer_ratio()
    if hasattr(x, "as_integer_ratio"):
        return x.as_integer_ratio()
    raise TypeError("can't convert type '%s' to numerator/denominator" % type(x).__name__)


class _Sum:
    """An exact sum: numerator / denominator, or `odd` when something was not finite."""

    def __init__(self, data):
        self.count = 0
        self.kind = int
        parts = {}
        odd = None
        for x in data:
            self.count += 1
            if self.kind is int and type(x) is not int:
                self.kind = float if isinstance(x, (float, bool)) else type(x)
                if isinstance(x, bool):
                    self.kind = int
            n, d = _ratio(x)
            if d is None:
                odd = n if odd is None else odd + n
            else:
                parts[d] = parts.get(d, 0) + n
        self.odd = odd
        denominator = 1
        for d in parts:
            if denominator % d:
                denominator = denominator * d // _gcd(denominator, d)
        numerator = 0
        for d, n in parts.items():
            numerator += n * (denominator // d)
        self.numerator = numerator
        self.denominator = denominator


def _gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def _convert(numerator, denominator, kind):
    if kind is int and numerator % denominator == 0:
        return numerator // denominator
    if kind is int or kind is float:
        return numerator / denominator
    return kind(numerator, denominator)


def mean(data):
    total = _Sum(data)
    if total.count < 1:
        raise StatisticsError("mean requires at least one data point")
    if total.odd is not None:
        return total.odd
    return _convert(total.numerator, total.denominator * total.count, total.kind)


def fmean(data, weights=None):
    if weights is None:
        values = list(data)
        if not values:
            raise StatisticsError("fmean requires at least one data point")
        return fsum(values) / len(values)
    values = list(data)
    weights = list(weights)
    if len(values) != len(weights):
        raise StatisticsError("data and weights must be the same length")
    total = fsum(weights)
    if not total:
        raise StatisticsError("sum of weights must be non-zero")
    return fsum([x * w for x, w in zip(values, weights)]) / total


def geometric_mean(data):
    values = [float(x) for x in data]
    if not values or any(x <= 0.0 for x in values):
        raise StatisticsError("geometric mean requires a non-empty dataset "
                              "containing positive numbers")
    return _exp(fmean([_log(x) for x in values]))


def harmonic_mean(data, weights=None):
    values = list(data)
    if not values:
        raise StatisticsError("harmonic_mean requires at least one data point")
    if weights is None:
        weights = [1] * len(values)
    parts = []
    for x, w in zip(values, weights):
        if x < 0:
            raise StatisticsError("harmonic mean does not support negative values")
        if x == 0:
            return 0
        parts.append(w / x)
    below = _Sum(parts)
    above = _Sum(weights)
    return _convert(above.numerator * below.denominator, above.denominator * below.numerator,
                    below.kind)


def median(data):
    values = sorted(data)
    n = len(values)
    if n == 0:
        raise StatisticsError("no median for empty data")
    if n % 2 == 1:
        return values[n // 2]
    return (values[n // 2 - 1] + values[n // 2]) / 2


def median_low(data):
    values = sorted(data)
    n = len(values)
    if n == 0:
        raise StatisticsError("no median for empty data")
    return values[(n - 1) // 2]


def median_high(data):
    values = sorted(data)
    if not values:
        raise StatisticsError("no median for empty data")
    return values[len(values) // 2]


def multimode(data):
    counts = {}
    for x in data:
        counts[x] = counts.get(x, 0) + 1
    if not counts:
        return []
    most = max(counts.values())
    return [x for x, count in counts.items() if count == most]


def mode(data):
    modes = multimode(data)
    if not modes:
        raise StatisticsError("no mode for empty data")
    return modes[0]


def quantiles(data, *, n=4, method="exclusive"):
    if n < 1:
        raise StatisticsError("n must be at least 1")
    values = sorted(data)
    size = len(values)
    if size < 2:
        raise StatisticsError("must have at least two data points")
    result = []
    if method == "inclusive":
        m = size - 1
        for i in range(1, n):
            j, delta = divmod(i * m, n)
            result.append((values[j] * (n - delta) + values[j + 1] * delta) / n)
        return result
    if method == "exclusive":
        m = size + 1
        for i in range(1, n):
            j = i * m // n
            j = 1 if j < 1 else size - 1 if j > size - 1 else j
            delta = i * m - j * n
            result.append((values[j - 1] * (n - delta) + values[j] * delta) / n)
        return result
    raise ValueError("Unknown method: %r" % method)


def _squares(data, center):
    """Sum of squared deviations as (numerator, denominator, count, kind)."""
    values = list(data)
    total = _Sum(values)
    n = total.count
    if center is None:
        # n * sum(x^2) - (sum x)^2, over n
        parts = {}
        for x in values:
            num, den = _ratio(x)
            parts[den] = parts.get(den, 0) + num * num
        d = total.denominator
        top = 0
        for den, num in parts.items():
            top += num * (d // den) * (d // den)
        if n == 0:
            return 0, 1, 0, total.kind
        return n * top - total.numerator * total.numerator, d * d * n, n, total.kind
    cn, cd = _ratio(center)
    top = 0
    d = total.denominator * cd
    for x in values:
        num, den = _ratio(x)
        off = num * (d // den) - cn * (d // cd)
        top += off * off
    return top, d * d, n, total.kind


def variance(data, xbar=None):
    top, bottom, n, kind = _squares(data, xbar)
    if n < 2:
        raise StatisticsError("variance requires at least two data points")
    return _convert(top, bottom * (n - 1), kind)


def pvariance(data, mu=None):
    top, bottom, n, kind = _squares(data, mu)
    if n < 1:
        raise StatisticsError("pvariance requires at least one data point")
    return _convert(top, bottom * n, kind)


def _root(top, bottom):
    """The float nearest to the square root of top / bottom."""
    if top == 0:
        return 0.0
    shift = (top.bit_length() - bottom.bit_length() - 109) // 2
    if shift >= 0:
        return float(_odd_root(top, bottom << (2 * shift)) << shift)
    return _odd_root(top << (-2 * shift), bottom) / (1 << -shift)


def _odd_root(n, m):
    """Integer root of n / m with the last bit set when it is not exact."""
    a = isqrt(n // m)
    return a | (a * a * m != n)


def stdev(data, xbar=None):
    top, bottom, n, kind = _squares(data, xbar)
    if n < 2:
        raise StatisticsError("stdev requires at least two data points")
    return _root(top, bottom * (n - 1))


def pstdev(data, mu=None):
    top, bottom, n, kind = _squares(data, mu)
    if n < 1:
        raise StatisticsError("pstdev requires at least one data point")
    return _root(top, bottom * n)


def covariance(x, y, /):
    n = len(x)
    if len(y) != n:
        raise StatisticsError("covariance requires that both inputs have same number of data points")
    if n < 2:
        raise StatisticsError("covariance requires at least two data points")
    xbar = fsum(x) / n
    ybar = fsum(y) / n
    return fsum([(a - xbar) * (b - ybar) for a, b in zip(x, y)]) / (n - 1)


def correlation(x, y, /):
    n = len(x)
    if len(y) != n:
        raise StatisticsError("correlation requires that both inputs have same number of data points")
    if n < 2:
        raise StatisticsError("correlation requires at least two data points")
    xbar = fsum(x) / n
    ybar = fsum(y) / n
    sxy = fsum([(a - xbar) * (b - ybar) for a, b in zip(x, y)])
    sxx = fsum([(a - xbar) ** 2.0 for a in x])
    syy = fsum([(b - ybar) ** 2.0 for b in y])
    try:
        return sxy / sqrt(sxx * syy)
    except ZeroDivisionError:
        raise StatisticsError("at least one of the inputs is constant")
