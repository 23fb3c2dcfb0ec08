# args: 1
"""Five bodies under gravity: float arithmetic, nested unpacking, lists of floats."""
import sys

SUN = 39.47841760435743
DAY = 365.24


def system():
    return [
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], SUN),
        ([4.84, -1.16, -0.10], [0.00166 * DAY, 0.00769 * DAY, -0.00007 * DAY], 0.000954 * SUN),
        ([8.34, 4.12, -0.40], [-0.00277 * DAY, 0.00499 * DAY, 0.00002 * DAY], 0.000285 * SUN),
        ([12.89, -15.11, -0.22], [0.00296 * DAY, 0.00238 * DAY, -0.00003 * DAY], 0.0000436 * SUN),
        ([15.38, -25.92, 0.18], [0.00268 * DAY, 0.00163 * DAY, -0.0001 * DAY], 0.0000515 * SUN),
    ]


def pairs(bodies):
    return [(bodies[i], bodies[j]) for i in range(len(bodies)) for j in range(i + 1, len(bodies))]


def advance(dt, steps, bodies, couples):
    for _ in range(steps):
        for ((p, v, m), (q, w, n)) in couples:
            dx = p[0] - q[0]
            dy = p[1] - q[1]
            dz = p[2] - q[2]
            mag = dt * (dx * dx + dy * dy + dz * dz) ** -1.5
            mm = m * mag
            nm = n * mag
            v[0] -= dx * nm
            v[1] -= dy * nm
            v[2] -= dz * nm
            w[0] += dx * mm
            w[1] += dy * mm
            w[2] += dz * mm
        for (p, (vx, vy, vz), m) in bodies:
            p[0] += dt * vx
            p[1] += dt * vy
            p[2] += dt * vz


def energy(bodies, couples):
    e = 0.0
    for ((p, v, m), (q, w, n)) in couples:
        dx, dy, dz = p[0] - q[0], p[1] - q[1], p[2] - q[2]
        e -= m * n / (dx * dx + dy * dy + dz * dz) ** 0.5
    for (p, (vx, vy, vz), m) in bodies:
        e += m * (vx * vx + vy * vy + vz * vz) / 2.0
    return e


def main(scale):
    bodies = system()
    couples = pairs(bodies)
    advance(0.01, 40000 * scale // 10, bodies, couples)
    print("energy %.6f" % energy(bodies, couples))


main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
