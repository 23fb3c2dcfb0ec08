"""Writes random programs that print what they compute.

usage: random_programs.py SEED [COUNT]

The programs of a seed are always the same ones. They end, use little memory, and print nothing that may
differ between two implementations (no addresses, sets in order, sizes kept small by clip and cut), so
what two implementations print can be compared as text. A program is one function; it and its helpers do
not depend on the others, so that a difference is found again with the function alone.

How it works: an expression of a type is made by one of the functions in EXPRESSIONS[type], which ask for
their parts by type again; a statement by one of STATEMENTS. Variables are known with their types.
"""

import random
import sys

PROLOGUE = '''\
def clip(x):
    return x if -(1 << 200) < x < 1 << 200 else x % 1000003
def cut(s):
    return s[:40]
def show(*values):
    print(*[order(v) for v in values])
def order(v):
    if isinstance(v, (set, frozenset)):
        return type(v).__name__ + str(sorted(map(repr, v)))
    if isinstance(v, tuple):
        return "(" + ", ".join([str(order(x)) for x in v]) + ")"
    return repr(v)
def div(a, b):
    return a // b if b else a
class Point:
    made = 0
    def __init__(self, x, y=0):
        self.x = x
        self.y = y
        Point.made += 1
    def __add__(self, other):
        if not isinstance(other, Point):
            return NotImplemented
        return type(self)(clip(self.x + other.x), clip(self.y + other.y))
    def __radd__(self, other):
        return type(self)(clip(self.x + other), self.y)
    def __eq__(self, other):
        return isinstance(other, Point) and (self.x, self.y) == (other.x, other.y)
    def __hash__(self):
        return hash((self.x, self.y))
    def __lt__(self, other):
        return (self.x, self.y) < (other.x, other.y)
    def __repr__(self):
        return "%s(%r, %r)" % (type(self).__name__, self.x, self.y)
    def __len__(self):
        return abs(self.x) % 5
    def __getitem__(self, i):
        return (self.x, self.y)[i]
    def __contains__(self, v):
        return v == self.x or v == self.y
    def __call__(self, k):
        return clip(self.x * k + self.y)
    @property
    def total(self):
        return self.x + self.y
    @total.setter
    def total(self, v):
        self.x = v - self.y
    @classmethod
    def unit(cls):
        return cls(1, 1)
    @staticmethod
    def double(v):
        return clip(v * 2)
class Point3(Point):
    __slots__ = ("z",)
    def __init__(self, x, y=0, z=7):
        super().__init__(x, y)
        self.z = z
    def __repr__(self):
        return super().__repr__()[:-1] + ", z=%r)" % self.z
    def __getattr__(self, name):
        if name.startswith("no"):
            raise AttributeError(name)
        return name
class Scope:
    def __init__(self, log, swallow=()):
        self.log = log
        self.swallow = swallow
    def __enter__(self):
        self.log.append("in")
        return self
    def __exit__(self, kind, value, trace):
        self.log.append(kind.__name__ if kind else "out")
        return kind is not None and issubclass(kind, self.swallow)
class Failed(ValueError):
    def __init__(self, code, text="failed"):
        super().__init__(text, code)
        self.code = code
'''

WORDS = ["", "a", "b", "xyz", "hello world", "Tide", "é", "日本", "0", "12", "-7", "a,b,c", " pad ", "\\n", "%d", "{}", "ß", "\\U0001f30a"]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.depth = 1
        self.vars = {}
        self.counter = 0
        self.loops = 0
        self.nested = 0
        self.functions = []

    # ---- small helpers

    def n(self, k):
        return self.random.randrange(k)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def pick(self, seq):
        return seq[self.random.randrange(len(seq))]

    def name(self, prefix):
        self.counter += 1
        return "%s%d" % (prefix, self.counter)

    def line(self, text):
        self.lines.append("    " * self.depth + text)

    def block(self, statements, size):
        """Statements in a block of their own: variables made in it are forgotten, they may be unbound."""
        saved = {k: list(v) for k, v in self.vars.items()}
        self.depth += 1
        for _ in range(size):
            statements(self)
        self.depth -= 1
        self.vars = saved

    def var(self, kind):
        names = self.vars.get(kind)
        return self.pick(names) if names else None

    def bind(self, kind, name):
        names = self.vars.setdefault(kind, [])
        if name not in names:
            names.append(name)

    def expr(self, kind, depth=3):
        name = self.var(kind)
        if name and (depth <= 0 or self.chance(30)):
            return name
        if depth <= 0:
            return LITERALS[kind](self)
        return self.pick(EXPRESSIONS[kind])(self, depth - 1)


# ---- literals

def int_literal(g):
    k = g.n(10)
    if k < 6:
        return str(g.n(20))
    if k < 8:
        return "-%d" % (1 + g.n(9))
    if k == 8:
        return str(g.pick([2**31, 2**62 - 1, 2**62, 2**63, 2**64 + 1, 10**20, -2**62 - 1, 255, 256, 1000]))
    return g.pick(["0x1f", "0b101", "0o17", "1_000", "True", "-0"])


def float_literal(g):
    return g.pick(["0.0", "1.5", "-2.25", "1e10", "0.1", "3.0", "1e-7", "123456.789", "2.5", "-0.0", "1e16", "float('inf')", "7e22"])


def str_literal(g):
    quote = g.pick(['"', "'", '"""'])
    return quote + g.pick(WORDS) + quote


LITERALS = {
    "int": int_literal,
    "float": float_literal,
    "bool": lambda g: g.pick(["True", "False"]),
    "str": str_literal,
    "bytes": lambda g: g.pick(['b""', 'b"abc"', 'bytes(5)', 'b"\\x00\\xff"', 'bytes([1, 2, 250])']),
    "ints": lambda g: "[" + ", ".join([int_literal(g) for _ in range(g.n(5))]) + "]",
    "strs": lambda g: "[" + ", ".join([str_literal(g) for _ in range(g.n(4))]) + "]",
    "dict": lambda g: "{" + ", ".join(["%s: %s" % (str_literal(g), int_literal(g)) for _ in range(g.n(4))]) + "}",
    "set": lambda g: "{" + ", ".join([int_literal(g) for _ in range(1 + g.n(4))]) + "}",
    "tuple": lambda g: "(%s, %s)" % (int_literal(g), str_literal(g)),
    "point": lambda g: "%s(%s, %s)" % (g.pick(["Point", "Point", "Point3"]), int_literal(g), int_literal(g)),
}


# ---- expressions

def form(text, *kinds):
    """An expression function: % fields of `text` are expressions of these types."""
    return lambda g, d: "(" + text % tuple([g.expr(k, d) for k in kinds]) + ")" if text[0] != "@" else text[1:] % tuple([g.expr(k, d) for k in kinds])


def comprehension(g, d):
    v = g.name("c")
    source = g.expr("ints", d)
    g.bind("int", v)
    test = " if %s" % g.expr("bool", d) if g.chance(50) else ""
    value = g.expr("int", d)
    inner = ""
    if g.chance(25):
        w = g.name("c")
        inner = " for %s in range(%s)" % (w, g.n(4))
        value = "(%s + %s)" % (value, w)
    g.vars["int"].remove(v)
    return "[%s for %s in %s%s%s][:30]" % (value, v, source, test, inner)


def set_comprehension(g, d):
    v = g.name("c")
    source = g.expr("ints", d)
    g.bind("int", v)
    value = g.expr("int", d)
    g.vars["int"].remove(v)
    return "{%s for %s in %s}" % (value, v, source)


def dict_comprehension(g, d):
    v = g.name("c")
    source = g.expr("strs", d)
    g.bind("str", v)
    key, value = g.expr("str", d), g.expr("int", d)
    g.vars["str"].remove(v)
    return "{%s: %s for %s in %s}" % (key, value, v, source)


def sum_of(g, d):
    v = g.name("c")
    source = g.expr("ints", d)
    g.bind("int", v)
    value = g.expr("int", d)
    g.vars["int"].remove(v)
    return "sum(%s for %s in %s)" % (value, v, source)


def int_binary(g, d):
    op = g.pick(["+", "-", "*", "//", "%", "&", "|", "^", "+", "-"])
    left, right = g.expr("int", d), g.expr("int", d)
    if op in "//%" and g.chance(80):
        right = "(%s or 3)" % right
    return "clip(%s %s %s)" % (left, op, right) if op == "*" else "(%s %s %s)" % (left, op, right)


def shift(g, d):
    return "(%s %s %d)" % (g.expr("int", d), g.pick(["<<", ">>"]), g.n(70))


def power(g, d):
    return "clip(%s ** %d)" % (g.expr("int", d), g.n(5))


def call(g, d):
    if not g.functions:
        return g.expr("int", d)
    name, args = g.pick(g.functions)
    parts = [g.expr("int", d) for _ in range(args)]
    if args and g.chance(10):
        return "%s(*[%s])" % (name, ", ".join(parts))
    return "%s(%s)" % (name, ", ".join(parts))


def index(g, d):
    return "%s[%s]" % (g.expr(g.pick(["ints", "ints", "tuple", "point", "bytes"]), d), g.pick(["0", "-1", "1", g.expr("int", 0)])) + " if True else 0" \
        if g.chance(0) else "at(%s, %s)" % (g.expr("ints", d), g.expr("int", d))


def conditional(kind):
    return lambda g, d: "(%s if %s else %s)" % (g.expr(kind, d), g.expr("bool", d), g.expr(kind, d))


def any_expr(g, d):
    return g.expr(g.pick(list(LITERALS)), d)


def compare(g, d):
    kind = g.pick(["int", "str", "float", "int", "ints", "tuple"])
    op = g.pick(["<", "<=", ">", ">=", "==", "!="])
    if g.chance(15):
        return "(%s %s %s %s %s)" % (g.expr(kind, d), op, g.expr(kind, d), g.pick(["<", "==", ">="]), g.expr(kind, d))
    return "(%s %s %s)" % (g.expr(kind, d), op, g.expr(kind, d))


def part(kind):
    """A slice."""
    def make(g, d):
        def bound():
            return "" if g.chance(30) else g.pick([str(g.n(5)), "-%d" % (1 + g.n(4)), "at(%s, 0)" % g.expr("ints", 0)])
        step = g.pick(["", "", "", ":2", ":-1", ":-2", ":3"])
        return "%s[%s:%s%s]" % (g.expr(kind, d), bound(), bound(), step)
    return make


def fstring(g, d):
    def piece():
        k = g.n(7)
        if k == 0:
            return "{%s:%s}" % (flat(g.expr("int", 1)), g.pick(["d", "5", "<6", "^7", "+d", "x", "#b", ",", "08d", "o", "_"]))
        if k == 1:
            return "{%s:%s}" % (flat(g.expr("float", 1)), g.pick([".2f", "e", "g", "10.3f", "+.1f", "%", "08.2f", ".0f", ""]))
        if k == 2:
            return "{%s!r}" % flat(g.expr("str", 1))
        if k == 3:
            return "{%s:%s}" % (flat(g.expr("str", 0)), g.pick([">8", "<8", "^9", "*^7", ".2", ""]))
        if k == 4:
            return "{order(%s)}" % flat(any_expr(g, 1))
        return g.pick(["text ", "{{", "}}", ", ", "é"])

    def flat(text):
        # No quotes and backslashes of the outer string within a field (3.11).
        return text if '"' not in text and "'" not in text and "\\" not in text and "{" not in text and ":" not in text else "7"
    return 'f"' + "".join([piece() for _ in range(1 + g.n(3))]) + '"'


def percent(g, d):
    spec = g.pick(["%d", "%5d", "%-5d|", "%05d", "%x", "%+d"])
    return "('%s %s %s' %% (%s, %s, %s))" % (spec, g.pick(["%s", "%r", "%10s", "%-4s|"]), g.pick(["%.2f", "%g", "%e", "%8.3f"]),
                                             g.expr("int", d), g.expr("str", d), g.expr("float", d))


def text_method(g, d):
    s = g.expr("str", d)
    return "%s.%s" % (s, g.pick([
        "upper()", "lower()", "title()", "strip()", "swapcase()", "capitalize()", "replace('a', 'bb')", "center(9, '*')", "zfill(6)",
        "ljust(5)", "rjust(6, '.')", "lstrip('a')", "rstrip()", "casefold()", "expandtabs(4)", "removeprefix('a')", "partition('b')[2]",
        "join(%s)[:60]" % g.expr("strs", d)]))


def walrus(g, d):
    v = g.name("w")
    return "(%s := %s) + %s" % (v, g.expr("int", d), v)


EXPRESSIONS = {
    "int": [int_binary, int_binary, shift, power, call, index, sum_of, conditional("int"),
            form("-%s", "int"), form("~%s", "int"), form("@abs(%s)", "int"), form("@len(%s)", "ints"), form("@len(%s)", "str"), form("@len(%s)", "dict"),
            form("@max(%s, %s)", "int", "int"), form("@min([%s, %s, %s])", "int", "int", "int"), form("@%s.get(%s, %s)", "dict", "str", "int"),
            form("@%s.count(%s)", "str", "str"), form("@%s.find(%s)", "str", "str"), form("@sum(%s)", "ints"), form("@int(%s * 4)", "bool"),
            form("@divmod(%s, 7)[1]", "int"), form("@pow(%s, 3, 11)", "int"), form("@%s(%s)", "point", "int"), form("@%s.total", "point"),
            form("@Point.double(%s)", "int"), form("@len(%s)", "set"), form("@(%s).bit_length()", "int"), form("@hash(%s) %% 1000", "int"),
            form("@%s[0]", "tuple"), form("@(%s and %s)", "int", "int"), form("@(%s or %s)", "int", "int"), form("@round(%s)", "int"),
            form("@(lambda q, r=%s: clip(q * 2 - r))(%s)", "int", "int"), form("@len(%s)", "bytes"), form("@ord((%s or 'z')[0])", "str"),
            form("@int('%%d' %% %s)", "int")],
    "float": [form("(%s + %s)", "float", "float"), form("(%s * %s)", "float", "float"), form("(%s - %s)", "float", "int"),
              form("(%s / (%s or 2))", "int", "int"), form("@abs(%s)", "float"), form("@round(%s, 3)", "float"), form("@float(%s %% 100000)", "int"),
              form("(%s %% 7.5)", "float"), form("@max(%s, %s)", "float", "float"), conditional("float"), form("@float(str(%s))", "float"),
              form("(%s // 1.5)", "float")],
    "bool": [compare, compare, form("not %s", "bool"), form("@(%s and %s)", "bool", "bool"), form("@(%s or %s)", "bool", "bool"),
             form("@bool(%s)", "ints"), form("(%s in %s)", "int", "ints"), form("(%s in %s)", "str", "dict"), form("(%s not in %s)", "int", "set"),
             form("@isinstance(%s, int)", "int"), form("@%s.startswith(%s)", "str", "str"), form("@any(%s)", "ints"), form("@all(%s)", "ints"),
             form("@%s.isdigit()", "str"), form("(%s == %s)", "point", "point"), form("(%s in %s)", "int", "point"), form("@%s.issubset(%s)", "set", "set"),
             form("(%s is None)", "tuple"), form("(%s in %s)", "str", "str"), form("(%s <= %s)", "set", "set")],
    "str": [text_method, text_method, fstring, percent, form("@cut(%s + %s)", "str", "str"), form("@cut(%s * 3)", "str"), form("@str(%s)", "int"),
            form("@repr(%s)", "str"), form("@repr(%s)", "float"), part("str"), form("@'-'.join(%s)[:60]", "strs"), form("@str(%s)", "ints"),
            form("@format(%s, 'x')", "int"), form("@hex(%s)", "int"), form("@chr(%s %% 1000 + 32)", "int"), conditional("str"), form("@repr(%s)", "point"),
            form("@'{:>5}|{!r:^8}'.format(%s, %s)", "int", "str"), form("@ascii(%s)", "str"), form("@%s.decode('latin-1')", "bytes"),
            form("@''.join(sorted(%s))", "str"), form("@''.join(reversed(%s))", "str")],
    "bytes": [form("@cut(%s + %s)", "bytes", "bytes"), part("bytes"), form("@%s.encode()", "str"), form("@bytes([v %% 256 for v in %s])", "ints"),
              form("@%s.upper()", "bytes"), form("@cut(%s * 2)", "bytes"), form("@(%s %% 1000).to_bytes(2, 'big')", "int"),
              form("@%s.replace(b'a', b'zz')", "bytes"), form("@bytes.fromhex('%%02x' %% (%s %% 256))", "int")],
    "ints": [comprehension, comprehension, form("@cut(%s + %s)", "ints", "ints"), form("@sorted(%s)", "ints"), form("@sorted(%s, key=lambda v: -v %% 7)", "ints"),
             part("ints"), form("@list(range(%s %% 9))", "int"), form("@sorted(%s)", "set"), form("@list(reversed(%s))", "ints"),
             form("@list(map(abs, %s))", "ints"), form("@list(filter(None, %s))", "ints"), form("@cut(%s * 2)", "ints"), form("@list(%s.values())", "dict"),
             form("@[*%s, %s]", "ints", "int"), form("@[a * b %% 1000 for a, b in zip(%s, %s)]", "ints", "ints"), form("@list(%s)", "bytes"),
             form("@[i + v for i, v in enumerate(%s, %s)]", "ints", "int"), conditional("ints"), form("@sorted(%s, reverse=True)", "ints"),
             form("@list(range(%s %% 10, 0, -2))", "int"), form("@[v for v in %s if v > %s]", "ints", "int")],
    "strs": [form("@%s.split()", "str"), form("@%s.split(',')", "str"), form("@sorted(%s)", "strs"), form("@[str(v) for v in %s]", "ints"), part("strs"),
             form("@cut(%s + %s)", "strs", "strs"), form("@list(%s)", "dict"), form("@list(%s)", "str"), form("@[s.upper() for s in %s]", "strs"),
             form("@list(%s.partition('a'))", "str"), form("@%s.splitlines()", "str"), form("@sorted(%s, key=len)", "strs")],
    "dict": [dict_comprehension, dict_comprehension, form("@dict(zip(%s, %s))", "strs", "ints"), form("@{**%s, %s: %s}", "dict", "str", "int"),
             form("@dict(sorted(%s.items()))", "dict"), form("(%s | %s)", "dict", "dict"), form("@dict.fromkeys(%s, %s)", "strs", "int"),
             form("@{k: v for k, v in %s.items() if v > %s}", "dict", "int"), form("@{str(k): len(v) for k, v in enumerate(%s)}", "strs")],
    "set": [set_comprehension, form("@set(%s)", "ints"), form("(%s | %s)", "set", "set"), form("(%s & %s)", "set", "set"), form("(%s - %s)", "set", "set"),
            form("(%s ^ %s)", "set", "set"), form("@{%s, %s}", "int", "int"), form("@set(%s)", "bytes"), form("@%s.union(%s)", "set", "ints")],
    "tuple": [form("@(%s, %s)", "int", "str"), form("@(%s, %s, %s)", "int", "float", "bool"), form("@tuple(%s) or (0,)", "ints"), form("@(%s,)", "int"),
              form("@(%s, *%s)", "int", "strs"), form("@divmod(%s, %s or 5)", "int", "int"), form("@(%s + (%s,))", "tuple", "str"), form("@(%s, (%s, %s))", "int", "int", "str")],
    "point": [form("@Point(%s, %s)", "int", "int"), form("@Point(y=%s, x=%s)", "int", "int"), form("(%s + %s)", "point", "point"), form("(%s + %s)", "int", "point"),
              form("@Point3(%s, z=%s)", "int", "int"), form("@Point.unit()"), form("@Point3.unit()"), form("@max(%s, %s)", "point", "point"),
              form("@sorted([%s, %s])[0]", "point", "point")],
}


# ---- statements

def simple_kind(g):
    return g.pick(["int", "int", "int", "float", "str", "str", "bool", "bytes", "ints", "ints", "strs", "dict", "set", "tuple", "point"])


def assign(g):
    kind = simple_kind(g)
    value = g.expr(kind)
    old = g.var(kind)
    name = old if old and g.chance(40) and not old.startswith("c") else g.name("v")
    g.line("%s = %s" % (name, "clip(%s)" % value if kind == "int" and g.loops else value))
    g.bind(kind, name)


def augmented(g):
    kind = g.pick(["int", "float", "str", "ints", "set"])
    name = g.var(kind)
    if not name:
        return assign(g)
    if kind == "int":
        g.line("%s %s= %s" % (name, g.pick(["+", "-", "^", "|", "&"]), g.expr("int", 2)))
        g.line("%s = clip(%s)" % (name, name))
    elif kind == "float":
        g.line("%s %s= %s" % (name, g.pick(["+", "-", "*"]), g.expr("float", 1)))
    elif kind == "set":
        g.line("%s %s= %s" % (name, g.pick(["|", "&", "-", "^"]), g.expr("set", 1)))
    else:
        g.line("%s += %s" % (name, g.expr(kind, 1)))
        g.line("%s = cut(%s)" % (name, name))


def unpack(g):
    a, b, c = g.name("v"), g.name("v"), g.name("v")
    k = g.n(4)
    if k == 0:
        g.line("%s, %s = %s, %s" % (a, b, g.expr("int"), g.expr("str")))
        g.bind("int", a)
        g.bind("str", b)
    elif k == 1:
        g.line("%s, *%s = [%s] + %s" % (a, b, g.expr("int", 1), g.expr("ints", 2)))
        g.bind("int", a)
        g.bind("ints", b)
    elif k == 2:
        g.line("(%s, %s), %s = (%s, %s), %s" % (a, b, c, g.expr("int", 1), g.expr("int", 1), g.expr("float", 2)))
        g.bind("int", a)
        g.bind("int", b)
        g.bind("float", c)
    else:
        g.line("%s = %s = %s" % (a, b, g.expr("ints", 2)))
        g.bind("ints", a)
        g.bind("ints", b)


def out(g):
    g.line("show(%s)" % ", ".join([any_expr(g, 3) for _ in range(1 + g.n(3))]))


def mutate(g):
    kind = g.pick(["ints", "dict", "set", "point", "strs"])
    name = g.var(kind)
    if not name:
        return assign(g)
    if kind == "ints":
        k = g.n(10)
        g.line([
            "%s.append(%s)" % (name, g.expr("int", 2)), "%s.insert(%s, %s)" % (name, g.pick(["0", "-1", "2"]), g.expr("int", 1)),
            "%s.extend(%s)" % (name, g.expr("ints", 1)), "%s[%d:%d] = %s" % (name, g.n(3), g.n(5), g.expr("ints", 1)),
            "del %s[%d:%d:%d]" % (name, g.n(3), g.n(6), 1 + g.n(2)), "%s.sort(reverse=%s)" % (name, g.expr("bool", 1)), "%s.reverse()" % name,
            "show(%s.pop() if %s else None)" % (name, name), "show(%s.index(%s))" % (name, g.expr("int", 0)), "%s[::2] = [0] * len(%s[::2])" % (name, name)][k])
        g.line("del %s[30:]" % name)
    elif kind == "dict":
        key = g.expr("str", 1)
        g.line(g.pick([
            "%s[%s] = %s" % (name, key, g.expr("int", 2)), "show(%s.pop(%s, None))" % (name, key), "show(%s.setdefault(%s, %s))" % (name, key, g.expr("int", 1)),
            "%s.update(%s)" % (name, g.expr("dict", 1)), "show(%s[%s])" % (name, key), "del %s[%s]" % (name, key), "show(list(%s.items()))" % name,
            "show(%s.popitem() if %s else 0)" % (name, name)]))
    elif kind == "set":
        g.line(g.pick(["%s.add(%s)" % (name, g.expr("int", 1)), "%s.discard(%s)" % (name, g.expr("int", 1)), "%s.remove(%s)" % (name, g.expr("int", 0)),
                       "%s.update(%s)" % (name, g.expr("ints", 1)), "show(frozenset(%s))" % name]))
    elif kind == "point":
        g.line(g.pick(["%s.x = %s" % (name, g.expr("int", 2)), "%s.total = %s" % (name, g.expr("int", 1)), "%s.extra = %s" % (name, g.expr("str", 1)),
                       "show(getattr(%s, 'extra', 'none'), hasattr(%s, 'nothing'))" % (name, name), "%s += %s" % (name, g.expr("point", 1)),
                       "show(list(%s), %s[0])" % (name, name) if g.chance(30) else "show(%s.z)" % name, "del %s.y" % name if g.chance(10) else "show(len(%s))" % name]))
    else:
        g.line("%s.append(%s)" % (name, g.expr("str", 1)))
        g.line("%s = cut(%s)" % (name, name))


def body(g, size=None):
    g.nested += 1
    g.block(statement, size or 1 + g.n(3))
    g.nested -= 1


def if_else(g):
    g.line("if %s:" % g.expr("bool"))
    body(g)
    if g.chance(30):
        g.line("elif %s:" % g.expr("bool"))
        body(g)
    if g.chance(50):
        g.line("else:")
        body(g)


def for_loop(g):
    v, k = g.name("v"), g.name("v")
    g.loops += 1
    which = g.n(7)
    saved = {key: list(names) for key, names in g.vars.items()}
    if which == 0:
        g.line("for %s in range(%d):" % (v, g.n(5)))
        g.bind("int", v)
    elif which == 1:
        g.line("for %s in %s[:4]:" % (v, g.expr("ints", 2)))
        g.bind("int", v)
    elif which == 2:
        g.line("for %s, %s in list(%s.items())[:4]:" % (k, v, g.expr("dict", 2)))
        g.bind("str", k)
        g.bind("int", v)
    elif which == 3:
        g.line("for %s, %s in enumerate(%s[:4]):" % (k, v, g.expr("strs", 2)))
        g.bind("int", k)
        g.bind("str", v)
    elif which == 4:
        g.line("for %s in %s[:5]:" % (v, g.expr("str", 2)))
        g.bind("str", v)
    elif which == 5:
        g.line("for %s, %s in zip(%s, range(4)):" % (v, k, g.expr("strs", 2)))
        g.bind("str", v)
        g.bind("int", k)
    else:
        g.line("for %s in sorted(%s)[:4]:" % (v, g.expr("set", 2)))
        g.bind("int", v)
    body(g)
    if g.chance(30):
        g.depth += 1
        g.line("if %s:" % g.expr("bool", 2))
        g.line("    " + g.pick(["break", "continue"]))
        g.depth -= 1
    if g.chance(25):
        g.line("else:")
        body(g, 1)
    g.vars = saved
    g.loops -= 1


def while_loop(g):
    v = g.name("n")
    g.line("%s = 0" % v)
    g.loops += 1
    g.line("while %s < %d and %s:" % (v, 1 + g.n(4), g.expr("bool", 2)))
    g.depth += 1
    g.line("%s += 1" % v)
    g.depth -= 1
    body(g)
    if g.chance(30):
        g.line("else:")
        body(g, 1)
    g.loops -= 1


def try_except(g):
    g.line("try:")
    body(g)
    if g.chance(60):
        g.depth += 1
        g.line(g.pick(["raise Failed(%s)" % g.expr("int", 1), "show(1 // %s)" % g.expr("int", 1), "show(%s[%s])" % (g.expr("ints", 1), g.expr("int", 1)),
                       "show({}[%s])" % g.expr("str", 1), "show(int(%s))" % g.expr("str", 1), "show(%s.missing)" % g.expr("point", 0),
                       "show(%s + %s)" % (g.expr("str", 0), g.expr("int", 0)), "raise KeyError(%s) from None" % g.expr("str", 1),
                       "assert %s, %s" % (g.expr("bool", 1), g.expr("str", 1)), "next(iter(()))", "a, b = %s" % g.expr("ints", 1),
                       "show(%s.index(%s))" % (g.expr("tuple", 1), g.expr("str", 0)), "raise %s" % g.pick(["ValueError", "StopIteration(3)", "OSError(2, 'no')"])]))
        g.depth -= 1
    e = g.name("e")
    k = g.n(4)
    if k == 0:
        g.line("except ZeroDivisionError as %s:" % e)
        g.line("    show('zero', str(%s))" % e)
    if k == 1:
        g.line("except (IndexError, KeyError) as %s:" % e)
        g.line("    show(type(%s).__name__, %s.args)" % (e, e))
    if k == 2:
        g.line("except Failed as %s:" % e)
        g.line("    show(%s.code, %s.args)" % (e, e))
    g.line("except Exception as %s:" % e)
    g.line("    show(type(%s).__name__, str(%s), %s.__context__ is None)" % (e, e, e))
    if g.chance(30):
        body(g, 1)
    if g.chance(25):
        g.line("else:")
        body(g, 1)
    if g.chance(30):
        g.line("finally:")
        body(g, 1)


def with_scope(g):
    log = g.name("log")
    g.line("%s = []" % log)
    g.line("try:")
    g.depth += 1
    g.line("with Scope(%s, %s)%s:" % (log, g.pick(["()", "ValueError", "Exception", "(KeyError, ZeroDivisionError)"]),
                                      ", Scope(%s) as s" % log if g.chance(30) else ""))
    body(g)
    if g.chance(50):
        g.line("    " + g.pick(["raise Failed(1)", "show(1 // 0)", "raise KeyError('k')"]))
    g.depth -= 1
    g.line("except Exception as e:")
    g.line("    show(repr(e))")
    g.line("show(%s)" % log)


def function(g):
    if g.depth > 3:
        return assign(g)
    name = g.name("f")
    params = [g.name("p") for _ in range(g.n(4))]
    saved, saved_functions, loops = g.vars, list(g.functions), g.loops
    outer = g.var("int")
    g.line("def %s(%s):" % (name, ", ".join([p if i == 0 else "%s=%s" % (p, g.n(9)) for i, p in enumerate(params)] + ([] if g.chance(60) else ["*rest"]))))
    g.depth += 1
    shares = outer is not None and outer[0] == "v" and g.chance(40)
    if shares:
        g.line("nonlocal %s" % outer)
        g.line("%s = clip(%s + 1)" % (outer, outer))
    # Names of the enclosing functions can be read, not assigned: they would become local ones.
    g.vars = {"int": list(params) + ([outer] if shares else [])}
    g.functions = []
    for _ in range(1 + g.n(3)):
        statement(g)
    g.line("return %s" % g.expr("int", 2))
    g.depth -= 1
    g.vars, g.functions, g.loops = saved, saved_functions, loops
    g.functions.append((name, len(params)))
    g.line("show(%s(%s))" % (name, ", ".join([g.expr("int", 1) for _ in params])))


def closures(g):
    make, counter = g.name("make"), g.name("v")
    g.line("def %s(start, step=%d):" % (make, 1 + g.n(4)))
    g.line("    def up(by=1):")
    g.line("        nonlocal start")
    g.line("        start = clip(start + step * by)")
    g.line("        return start")
    g.line("    def peek():")
    g.line("        return start, step")
    g.line("    return up, peek")
    g.line("%s, %s_peek = %s(%s)" % (counter, counter, make, g.expr("int", 1)))
    g.line("show(%s(), %s(%s), %s_peek())" % (counter, counter, g.expr("int", 1), counter))
    g.line("show([q(10) for q in [lambda z, k=k: z * k for k in range(%d)]])" % g.n(5))


def generator(g):
    name = g.name("gen")
    g.line("def %s(limit):" % name)
    g.line("    got = 0")
    g.line("    try:")
    g.line("        for i in range(limit):")
    g.line("            got = yield (i, got)" if g.chance(50) else "            got = (yield i * 2) or %s" % g.n(5))
    if g.chance(40):
        g.line("            if i == 2:")
        g.line("                yield from (got, 'two')")
    g.line("    except Failed as e:")
    g.line("        yield ('caught', e.code)")
    g.line("    finally:")
    g.line("        show('closing', got)")
    g.line("    return %s" % g.n(100))
    it = g.name("it")
    g.line("%s = %s(%s)" % (it, name, g.pick(["0", "2", "5", "abs(%s) %% 6" % g.expr("int", 1)])))
    for _ in range(1 + g.n(4)):
        g.line("try:")
        g.line("    show(%s)" % g.pick(["next(%s)" % it, "next(%s, 'done')" % it, "%s.send(%s)" % (it, g.pick(["None", "7", "'x'"])), "%s.throw(Failed(5))" % it,
                                        "%s.throw(KeyError('t'))" % it, "%s.close()" % it, "list(%s)[:5]" % it]))
        g.line("except (StopIteration, TypeError, KeyError, Failed) as e:")
        g.line("    show(type(e).__name__, e.args)")
    g.line("del %s" % it)


def classes(g):
    name = g.name("C")
    base = g.pick(["Point", "Point3", "object", "list", "dict", "Failed"])
    g.line("class %s(%s):" % (name, base))
    g.line("    kind = %s" % g.expr("str", 1))
    g.line("    counts = [%s]" % g.n(5))
    g.line("    def tell(self, *args, sep=%s, **more):" % str_literal(g))
    g.line("        self.counts.append(len(args))")
    g.line("        return sep.join([str(a) for a in args]) + self.kind + str(sorted(more))")
    if g.chance(50):
        g.line("    def __repr__(self):")
        g.line("        return 'a ' + self.kind")
    if g.chance(40):
        g.line("    def __bool__(self):")
        g.line("        return %s" % g.pick(["True", "False"]))
    if g.chance(40):
        g.line("    def __eq__(self, other):")
        g.line("        return self.kind == getattr(other, 'kind', None)")
    if g.chance(30):
        g.line("    def __iter__(self):")
        g.line("        yield from self.counts")
    made = {"Point": "(1, 2)", "Point3": "(4)", "object": "()", "list": "([3, 1, 2])", "dict": "(a=1, b=2)", "Failed": "(9)"}[base]
    v = g.name("v")
    g.line("%s = %s%s" % (v, name, made))
    g.line("show(%s.tell(%s, %s), %s.tell(sep='/', key=1), %s.counts)" % (v, g.expr("int", 1), g.expr("str", 1), v, name))
    if base in ("list", "dict"):
        g.line("show(len(%s), sorted(list(%s), key=str), isinstance(%s, %s))" % (v, v, v, base))
    g.line("show([k.__name__ for k in %s.__mro__], %s == %s%s)" % (name, v, name, made if base != "object" else "()"))
    if base != "object" or g.chance(50):
        g.line("show(bool(%s))" % v)


def recursion(g):
    name = g.name("rec")
    g.line("def %s(n, acc=()):" % name)
    g.line("    if n <= 0:")
    g.line("        return acc")
    g.line("    return %s(n - %d, acc + (n * %d,))" % (name, 1 + g.n(3), g.n(9)))
    g.line("show(%s(%d))" % (name, g.n(20)))


def delete(g):
    v = g.name("d")
    g.line("%s = %s" % (v, any_expr(g, 2)))
    g.line("del %s" % v)
    g.line("try:")
    g.line("    show(%s)" % v)
    g.line("except NameError as e:")
    g.line("    show(type(e).__name__)")


def mixed(g):
    """Operators between any two things: what is refused must be refused in the same words."""
    kinds = list(LITERALS)
    a, b = g.expr(g.pick(kinds), 1), g.expr(g.pick(kinds), 1)
    g.line("try:")
    k = g.n(4)
    if k == 0:
        g.line("    show(%s %s %s)" % (a, g.pick(["+", "-", "/", "//", "&", "|", "^", "<", ">=", "==", "!=", "in", "not in", "and", "or"]), b))
    elif k == 1:
        g.line("    t = %s" % a)
        g.line("    t %s= %s" % (g.pick(["+", "-", "/", "//", "&", "|", "^"]), b))
        g.line("    show(t)")
    elif k == 2:
        g.line("    show(%s[%s])" % (a, g.pick([b, g.expr("int", 0), "1:2", "-1", "::2", "None"])))
    else:
        name = g.pick(["len", "list", "sorted", "sum", "max", "min", "abs", "int", "float", "tuple", "set", "dict", "str", "round", "repr", "bool", "any", "all",
                       "ord", "chr", "hex", "bin", "frozenset", "ascii", "callable", "bytes"])
        a = g.expr(g.pick([kind for kind in kinds if kind != "set"]), 1)  # whose order is nobody's business
        g.line("    show(%s(%s))" % (name, a if name != "bytes" else "str(%s), 'utf-8'" % a))
    g.line("except KeyError:")  # its text may be that of a set
    g.line("    show('KeyError')")
    g.line("except Exception as e:")
    g.line("    show(type(e).__name__, str(e))")


METHODS = {
    "str": ["count", "endswith", "find", "index", "join", "partition", "replace", "rfind", "rindex", "rpartition", "rsplit", "split", "startswith", "strip", "zfill",
            "center", "ljust", "encode", "isalpha", "isalnum", "isspace", "istitle", "isupper", "islower", "isidentifier", "isprintable", "isdecimal", "removesuffix",
            "format", "lstrip", "translate"],
    "ints": ["append", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort", "copy", "clear"],
    "dict": ["get", "pop", "setdefault", "update", "keys", "values", "items", "copy", "popitem", "clear", "fromkeys"],
    "set": ["add", "discard", "remove", "union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint", "update", "copy",
            "intersection_update", "difference_update"],
    "bytes": ["count", "find", "index", "split", "join", "hex", "startswith", "endswith", "strip", "replace", "decode", "title", "isalpha", "center", "rsplit", "partition",
              "__getitem__"],
    "int": ["bit_length", "bit_count", "to_bytes", "conjugate", "as_integer_ratio"],
    "float": ["is_integer", "hex", "as_integer_ratio", "conjugate"],
    "tuple": ["count", "index"] ,
}


def methods(g):
    """Methods with arguments of any type: what is refused is, for whatever reason is met first."""
    kind = g.pick(list(METHODS))
    name = g.pick(METHODS[kind])
    kinds = ["int", "int", "str", kind, "ints", g.pick(list(LITERALS))]
    args = [g.expr(g.pick([k for k in kinds if k != "set" or kind == "set"]), 1) for _ in range(g.n(3))]
    g.line("try:")
    g.line("    t = %s" % g.expr(kind, 1))
    g.line("    r = t.%s(%s)" % (name, ", ".join(args)))
    g.line("    show(%s, t)" % ("sorted(map(repr, r))" if name in ("keys", "values", "items") else "r"))
    g.line("except Exception:")
    g.line("    show('refused')")


def flow(g):
    """return, break and continue through finally and with, in a function that is called in several ways."""
    name, log = g.name("flow"), g.name("log")
    leave = ["return n", "break", "continue", "raise Failed(n)", "n += 1", "return"]
    g.line("%s = []" % log)
    g.line("def %s(n):" % name)
    g.line("    for i in range(4):")
    g.line("        try:")
    g.line("            with Scope(%s, %s):" % (log, g.pick(["()", "ValueError"])))
    g.line("                try:")
    g.line("                    if i == n: %s" % g.pick(leave))
    g.line("                    %s.append(i)" % log)
    g.line("                    if n > 2: %s" % g.pick(leave))
    g.line("                except Failed as e:")
    g.line("                    %s.append('failed')" % log)
    g.line("                    %s" % g.pick(["pass", "raise", "raise KeyError(n) from e", "continue", "return 'handled'"]))
    g.line("                else:")
    g.line("                    %s.append('else')" % log)
    g.line("                finally:")
    g.line("                    %s.append('inner')" % log)
    g.line("                    if n == 3: %s" % g.pick(["pass", "break", "return 'finally'", "n = 0"]))
    g.line("        finally:")
    g.line("            %s.append('outer')" % log)
    g.line("            if i == 3 and n == 1: %s" % g.pick(["pass", "return 'last'", "raise IndexError(i)"]))
    g.line("    else:")
    g.line("        return 'whole'")
    g.line("    return ('after', n)")
    g.line("for n in range(5):")
    g.line("    try:")
    g.line("        show(n, %s(n))" % name)
    g.line("    except Exception as e:")
    g.line("        show(repr(e), repr(e.__cause__), repr(e.__context__))")
    g.line("show(%s)" % log)


def arguments(g):
    """Functions of every shape, called in every way."""
    name = g.name("args")
    shape = g.pick(["a, b=2, *c, d, e=5, **f", "a, /, b, *, c=3", "*a, **b", "a=1, b=2, c=3", "a, b, /, c=0, *d", "a, *, b, **c", "*, a=1"])
    names = [p.strip(" */").split("=")[0] for p in shape.split(",") if p.strip(" */")]
    g.line("def %s(%s):" % (name, shape))
    g.line("    return (%s,)" % ", ".join(names))
    for _ in range(1 + g.n(4)):
        parts = [g.expr("int", 0) for _ in range(g.n(4))]
        if g.chance(25):
            parts.append("*%s[:3]" % g.expr("ints", 0) if "[" not in parts else "1")
        seen = set()
        for _ in range(g.n(3)):
            key = g.pick(["a", "b", "c", "d", "e", "zz"])
            if key not in seen:
                seen.add(key)
                parts.append("%s=%s" % (key, g.expr("int", 0)))
        if g.chance(20):
            parts.append("**{'d': 4}")
        g.line("try:")
        g.line("    show(%s(%s))" % (name, ", ".join(parts)))
        g.line("except TypeError:")
        g.line("    show('TypeError')")


def diamonds(g):
    """Multiple inheritance, super() along the order, class attributes, operators by reflection."""
    a, b, c, d = [g.name("K") for _ in range(4)]
    g.line("class %s:" % a)
    g.line("    tag = %s" % g.expr("int", 0))
    g.line("    def who(self): return [%r]" % a)
    g.line("    def __%s__(self, other): return %s" % (g.pick(["add", "sub", "mul"]), g.pick(["'left'", "NotImplemented"])))
    for k in (b, c):
        g.line("class %s(%s):" % (k, a))
        if g.chance(50):
            g.line("    tag = %s" % g.expr("str", 0))
        if g.chance(70):
            g.line("    def who(self): return [%r] + super().who()" % k)
        g.line("    def __r%s__(self, other): return %s" % (g.pick(["add", "sub", "mul"]), g.pick(["'right'", "NotImplemented"])))
    g.line("class %s(%s, %s):" % (d, b, c))
    g.line("    %s" % g.pick(["pass", "who = lambda self: ['own'] + super(%s, self).who()" % d, "tag = property(lambda self: len(self.who()))"]))
    g.line("x, y = %s(), %s()" % (d, g.pick([a, b, c, d])))
    g.line("show(x.who(), x.tag, y.tag, [k.__name__ for k in %s.__mro__])" % d)
    for op in "+-*":
        g.line("try:")
        g.line("    show(%s)" % g.pick(["x %s y" % op, "y %s x" % op, "x %s 1" % op, "1 %s x" % op]))
        g.line("except TypeError as e:")
        g.line("    show(str(e))")
    g.line("try:")
    g.line("    class Z(%s, %s): pass" % g.pick([(a, b), (b, a), (c, d), (d, c), (a, "object"), ("object", a)]))
    g.line("    show([k.__name__ for k in Z.__mro__])")
    g.line("except TypeError:")
    g.line("    show('no order')")


SIMPLE = [assign, assign, assign, augmented, unpack, out, out, mutate, mutate]
STATEMENTS = SIMPLE + [if_else, for_loop, for_loop, while_loop, try_except, try_except, with_scope, function, closures, generator, classes, recursion, delete, mixed, mixed, methods, methods, flow, arguments, diamonds]


def statement(g):
    if g.nested >= 3 or len(g.lines) > 120:
        g.pick(SIMPLE)(g)
    else:
        g.pick(STATEMENTS)(g)


def program(seed, number):
    g = Maker(seed * 1000003 + number)
    for _ in range(3):
        assign(g)
    for _ in range(5 + g.n(8)):
        statement(g)
    for kind in sorted(g.vars):
        for name in g.vars[kind]:
            g.line("show(%r, %s)" % (name, name))
    return g.lines


def write(seed, count):
    print(PROLOGUE, end="")
    print("def at(values, i):")
    print("    return values[i % len(values)] if values else 0")
    names = []
    for number in range(count):
        name = "program_%d_%d" % (seed, number)
        names.append(name)
        print("def %s():" % name)
        for text in program(seed, number):
            print(text)
    print("for run in [%s]:" % ", ".join(names))
    print("    print('#', run.__name__)")
    print("    try:")
    print("        run()")
    print("    except Exception as e:")
    print("        print(type(e).__name__, e)")


write(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
