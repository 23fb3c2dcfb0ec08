# array.
from array import array

a = array("i", [1, 2, 3])
a.append(4)
a.extend([5, 6])
a[0] = -7
print(a, len(a), a[0], a[-1], a[1:4], a[::-2], list(a), 5 in a, 99 in a, a.index(3), a.count(5), a.typecode, a.itemsize)
del a[0]
a[1:3] = array("i", [30, 40, 50])
print(a, a.pop(), a.pop(0), a)
a.insert(1, 9)
a.reverse()
print(a, a.tolist(), array("i", [1]) + array("i", [2]), array("b", [1, 2]) * 2, a == array("i", a), array("i", [1]) < array("i", [2]))
d = array("d", [0.5, 2])
d[1] += 1
print(d, sum(d), array("d"), array("B", b"abc"), array("H", [1, 2]).tobytes(), array("f", [0.1])[0])
d.frombytes(array("d", [1.25]).tobytes())
print(d, [x * 2 for x in d])
for call in (lambda: a[99], lambda: array("i", [1.5]), lambda: array("b", [200]), lambda: array("z"), lambda: array("i").pop(),
             lambda: a.index(12345), lambda: array("B", [-1]), lambda: a.append("x"), lambda: a["x"]):
    try:
        call()
    except (IndexError, TypeError, OverflowError, ValueError) as error:
        print(type(error).__name__)
big = array("q", range(1000))
del big[::2]
print(len(big), big[0], big[-1], sum(big), array("Q", [2**64 - 1])[0], array("l", [-2**63])[0])
