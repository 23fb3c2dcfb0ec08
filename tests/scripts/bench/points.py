# args: 1
"""Many small objects with slots at once: allocation, attributes, float functions."""
import sys
from math import cos, sin, sqrt


class Point:
    __slots__ = ("x", "y", "z")

    def __init__(self, i):
        self.x = x = sin(i)
        self.y = cos(i) * 3
        self.z = (x * x) / 2

    def normalize(self):
        norm = sqrt(self.x * self.x + self.y * self.y + self.z * self.z)
        self.x /= norm
        self.y /= norm
        self.z /= norm

    def maximize(self, other):
        self.x = self.x if self.x > other.x else other.x
        self.y = self.y if self.y > other.y else other.y
        self.z = self.z if self.z > other.z else other.z
        return self


def main(scale):
    for _ in range(3):
        points = [Point(i) for i in range(20000 * scale)]
        for p in points:
            p.normalize()
        top = points[0]
        for p in points[1:]:
            top = top.maximize(p)
    print("%.6f %.6f %.6f" % (top.x, top.y, top.z))


main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
