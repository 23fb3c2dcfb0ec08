# statistics.
import statistics as s

data = [2.5, 3.25, 5.5, 11.25, 11.75]
print(s.mean([1, 2]), s.mean([1, 3]), s.mean([0.1] * 10), s.mean(data), s.mean([10**20, 1]), s.mean([True, False]))
print(s.fmean([1, 2, 4]), s.median([3, 1, 2]), s.median([4, 1, 3, 2]), s.median_low([4, 1, 3, 2]), s.median_high([4, 1, 3, 2]))
print(s.mode("aabbb"), s.multimode("aabbc"), s.quantiles(range(10)), s.quantiles([1, 2, 3, 4], n=3, method="inclusive"))
print(s.variance(data), s.pvariance(data), s.stdev(data), s.pstdev(data), s.stdev([1, 2]), s.variance([0.0, 0.25, 1.25]))
print(s.pstdev([1, 2, 3, 4]), s.stdev([10**9, 10**9 + 1, 10**9 + 2]), s.pvariance([1, 1, 1]))
print(s.geometric_mean([1, 2, 4]), s.harmonic_mean([40, 60]), s.mean([1e308, 1e308]), s.mean([1.0, float("inf")]))
print(s.covariance([1, 2, 3], [1, 5, 7]), s.correlation([1, 2, 3], [1, 5, 7]))
for call in (lambda: s.mean([]), lambda: s.median([]), lambda: s.mode([]), lambda: s.stdev([1]), lambda: s.variance([1])):
    try:
        call()
    except s.StatisticsError as error:
        print("StatisticsError:", error)
