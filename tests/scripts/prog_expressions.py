# A calculator: tokens, a Pratt parser, a tree, simplification, differentiation, a stack machine that must agree.
from fractions import Fraction


class Error(Exception):
    pass


def tokens(text):
    i = 0
    while i < len(text):
        c = text[i]
        if c.isspace():
            i += 1
        elif c.isdigit():
            j = i
            while j < len(text) and text[j].isdigit():
                j += 1
            yield "num", int(text[i:j])
            i = j
        elif c.isalpha():
            yield "name", c
            i += 1
        elif c in "+-*/^()":
            yield c, c
            i += 1
        else:
            raise Error("bad character %r at %d" % (c, i))
    yield "end", None


class Num:
    def __init__(self, v):
        self.v = Fraction(v)

    def __str__(self):
        return str(self.v)

    def eval(self, env):
        return self.v

    def diff(self, x):
        return Num(0)

    def code(self):
        yield "push", self.v


class Var:
    def __init__(self, name):
        self.name = name

    def __str__(self):
        return self.name

    def eval(self, env):
        try:
            return env[self.name]
        except KeyError as e:
            raise Error("no value for " + self.name) from e

    def diff(self, x):
        return Num(1 if x == self.name else 0)

    def code(self):
        yield "load", self.name


class Bin:
    OPS = {"+": (1, lambda a, b: a + b), "-": (1, lambda a, b: a - b), "*": (2, lambda a, b: a * b), "/": (2, lambda a, b: a / b),
           "^": (4, lambda a, b: a ** int(b))}

    def __init__(self, op, a, b):
        self.op, self.a, self.b = op, a, b

    def __str__(self):
        return "(%s %s %s)" % (self.a, self.op, self.b)

    def eval(self, env):
        try:
            return self.OPS[self.op][1](self.a.eval(env), self.b.eval(env))
        except ZeroDivisionError:
            raise Error("division by zero in %s" % self) from None

    def diff(self, x):
        a, b, da, db = self.a, self.b, self.a.diff(x), self.b.diff(x)
        if self.op in "+-":
            return make(self.op, da, db)
        if self.op == "*":
            return make("+", make("*", da, b), make("*", a, db))
        if self.op == "/":
            return make("/", make("-", make("*", da, b), make("*", a, db)), make("^", b, Num(2)))
        if not isinstance(b, Num):
            raise Error("the exponent must be a number")
        return make("*", make("*", b, make("^", a, Num(b.v - 1))), da)

    def code(self):
        yield from self.a.code()
        yield from self.b.code()
        yield "op", self.op


def is_num(e, v):
    return isinstance(e, Num) and e.v == v


def make(op, a, b):
    """With the obvious simplified."""
    if isinstance(a, Num) and isinstance(b, Num) and not (op in "/^" and b.v <= 0):
        return Num(Bin.OPS[op][1](a.v, b.v))
    if op == "+" and is_num(a, 0):
        return b
    if op in "+-" and is_num(b, 0):
        return a
    if op == "*" and (is_num(a, 0) or is_num(b, 0)):
        return Num(0)
    if op == "*" and is_num(a, 1) or op == "^" and is_num(b, 0):
        return b if op == "*" else Num(1)
    if op in "*/^" and is_num(b, 1):
        return a
    return Bin(op, a, b)


class Parser:
    def __init__(self, text):
        self.stream = tokens(text)
        self.advance()

    def advance(self):
        self.kind, self.value = next(self.stream)

    def expression(self, least=0):
        left = self.prefix()
        while self.kind in Bin.OPS and Bin.OPS[self.kind][0] > least:
            op = self.kind
            strength = Bin.OPS[op][0]
            self.advance()
            left = Bin(op, left, self.expression(strength - 1 if op == "^" else strength))
        return left

    def prefix(self):
        kind, value = self.kind, self.value
        if kind == "end":
            raise Error("unexpected end")
        self.advance()
        if kind == "num":
            return Num(value)
        if kind == "name":
            return Var(value)
        if kind == "-":
            return Bin("-", Num(0), self.expression(3))
        if kind == "(":
            e = self.expression()
            if self.kind != ")":
                raise Error("')' expected, not %s" % self.kind)
            self.advance()
            return e
        raise Error("unexpected %s" % kind)

    def whole(self):
        e = self.expression()
        if self.kind != "end":
            raise Error("%s after the end" % self.kind)
        return e


def run(code, env):
    stack = []
    for op, arg in code:
        if op == "push":
            stack.append(arg)
        elif op == "load":
            stack.append(env[arg])
        else:
            b, a = stack.pop(), stack.pop()
            stack.append(Bin.OPS[arg][1](a, b))
    [result] = stack
    return result


env = {"x": Fraction(3), "y": Fraction(-1, 2)}
for text in ["1 + 2 * 3", "2 ^ 3 ^ 2", "-x ^ 2", "(x + y) * (x - y)", "x / y / 2", "1 / (x - 3)", "z + 1", "2 * (3", "4 $ 4", "", "x ^ 5 - 3 * x ^ 2 + y", "x y",
             "(x ^ 2 + 1) / (x - 1)", "((((((7))))))", "1 - 2 - 3 - -4"]:
    try:
        tree = Parser(text).whole()
        value = tree.eval(env)
        assert run(tree.code(), env) == value
        print(text, "=", tree, "=", value, "| d/dx:", tree.diff("x"), "=", tree.diff("x").eval(env))
    except Error as e:
        print(repr(text), "Error:", e, "| cause:", repr(e.__cause__))
