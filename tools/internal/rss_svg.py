"""Draws resident memory over time: one panel per row, one line per program.

panels: a list of (title, bound in MiB or None, {name: [(seconds, MiB), ...]}). The text
of an SVG file comes back; it needs nothing but itself to be looked at.
"""

import html

COLOURS = {
    "tidepool": "#0b6fb8",
    "glibc": "#8a8a8a",
    "jemalloc": "#c2571a",
    "tcmalloc": "#7a5195",
    "mimalloc": "#2f8f4e",
    "python3": "#b5893c",
}
OTHERS = ["#b03a5b", "#4a4a4a"]

WIDTH, HEIGHT = 300, 150           # of a panel's plot
LEFT, TOP, GAP_X, GAP_Y = 56, 92, 70, 62
COLUMNS = 3


def nice(value):
    """The smallest of 1, 2, 5 times a power of ten that is not below value."""
    power = 1.0
    while power * 10 <= value:
        power *= 10
    while power > value:
        power /= 10
    for factor in (1, 2, 5, 10):
        if factor * power >= value:
            return factor * power
    return value


def thin(points, width):
    """At most two points per pixel column, the lowest and the highest of it."""
    if len(points) <= 2 * width:
        return points
    last = points[-1][0] or 1
    columns = {}
    for point in points:
        columns.setdefault(int(point[0] / last * (width - 1)), []).append(point)
    out = []
    for _, some in sorted(columns.items()):
        chosen = {min(some, key=lambda p: p[1]), max(some, key=lambda p: p[1])}
        out.extend(sorted(chosen))
    return out


def _panel(x0, y0, title, bound, lines, colour_of):
    peak = max([bound or 1] + [m for points in lines.values() for _, m in points])
    end = max([0.1] + [points[-1][0] for points in lines.values() if points])
    step_y, step_x = nice(peak / 4), nice(end / 4)
    top = peak * 1.05
    out = ['<g transform="translate(%d,%d)">' % (x0, y0)]
    out.append('<text class="t" x="0" y="-10">%s</text>' % html.escape(title))
    mark = 0.0
    while mark <= top:
        y = HEIGHT - mark / top * HEIGHT
        out.append('<line class="g" x1="0" x2="%d" y1="%.1f" y2="%.1f"/>' % (WIDTH, y, y))
        out.append('<text class="n" x="-6" y="%.1f" text-anchor="end">%g</text>' % (y + 3.5, mark))
        mark += step_y
    mark = 0.0
    while mark <= end * 1.001:
        x = mark / end * WIDTH
        out.append('<text class="n" x="%.1f" y="%d" text-anchor="middle">%g</text>'
                   % (x, HEIGHT + 15, round(mark, 6)))
        mark += step_x
    if bound:
        y = HEIGHT - bound / top * HEIGHT
        out.append('<line class="b" x1="0" x2="%d" y1="%.1f" y2="%.1f"/>' % (WIDTH, y, y))
    # Ours last, so that it lies on top.
    for name in sorted(lines, key=lambda n: n == "tidepool"):
        points = thin(lines[name], WIDTH)
        if not points:
            continue
        path = " ".join("%.1f,%.1f" % (t / end * WIDTH, HEIGHT - m / top * HEIGHT)
                        for t, m in points)
        out.append('<polyline class="l" stroke="%s" stroke-width="%s" points="%s">'
                   "<title>%s: at most %.0f MiB, %.1f s</title></polyline>"
                   % (colour_of(name), "2" if name == "tidepool" else "1.3", path,
                      html.escape(name), max(m for _, m in points), points[-1][0]))
    out.append("</g>")
    return out


def draw(heading, note, panels):
    names = []
    for _, _, lines in panels:
        names += [n for n in lines if n not in names]
    names.sort(key=lambda n: n != "tidepool")
    unknown = [n for n in names if n not in COLOURS]

    def colour_of(name):
        return COLOURS.get(name) or OTHERS[unknown.index(name) % len(OTHERS)]

    columns = min(COLUMNS, max(1, len(panels)))
    rows = (len(panels) + columns - 1) // columns
    width = LEFT + columns * WIDTH + (columns - 1) * GAP_X + 36
    height = TOP + rows * (HEIGHT + GAP_Y) + 4
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
           'viewBox="0 0 %d %d">' % (width, height, width, height),
           "<style>text{font-family:Helvetica,Arial,sans-serif;fill:#222}"
           ".h{font-size:17px;font-weight:bold}.s{font-size:12px;fill:#555}"
           ".t{font-size:12.5px;font-weight:bold}.n{font-size:10px;fill:#666}"
           ".g{stroke:#e4e4e4}.b{stroke:#c0392b;stroke-dasharray:5 3}"
           ".l{fill:none;stroke-linejoin:round}</style>",
           '<rect width="100%" height="100%" fill="#fff"/>',
           '<text class="h" x="%d" y="28">%s</text>' % (LEFT - 36, html.escape(heading)),
           '<text class="s" x="%d" y="46">%s</text>' % (LEFT - 36, html.escape(note))]
    x = LEFT - 36
    for name in names:
        out.append('<line x1="%d" x2="%d" y1="61" y2="61" stroke="%s" stroke-width="3"/>'
                   % (x, x + 18, colour_of(name)))
        out.append('<text class="s" x="%d" y="65">%s</text>' % (x + 23, html.escape(name)))
        x += 40 + 7 * len(name)
    out.append('<line class="b" x1="%d" x2="%d" y1="61" y2="61" stroke-width="2"/>' % (x, x + 18))
    out.append('<text class="s" x="%d" y="65">bound</text>' % (x + 23))
    for index, (title, bound, lines) in enumerate(panels):
        x0 = LEFT + (index % columns) * (WIDTH + GAP_X)
        y0 = TOP + 8 + (index // columns) * (HEIGHT + GAP_Y)
        out += _panel(x0, y0, title, bound, lines, colour_of)
    return "\n".join(out + ["</svg>"]) + "\n"
