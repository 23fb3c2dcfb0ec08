# A program: tokenizer, parser and evaluator of a small language, with classes, exceptions and recursion.
class LexError(Exception):
    pass


class Token:
    __slots__ = ("kind", "text", "pos")

    def __init__(self, kind, text, pos):
        self.kind, self.text, self.pos = kind, text, pos

    def __repr__(self):
        return f"{self.kind}:{self.text}"


def tokenize(src):
    i, out = 0, []
    while i < len(src):
        c = src[i]
        if c.isspace():
            i += 1
            continue
        start = i
        if c.isdigit():
            while i < len(src) and (src[i].isdigit() or src[i] == "."):
                i += 1
            out.append(Token("num", src[start:i], start))
        elif c.isalpha() or c == "_":
            while i < len(src) and (src[i].isalnum() or src[i] == "_"):
                i += 1
            word = src[start:i]
            out.append(Token("kw" if word in {"let", "in", "if", "then", "else", "fn"} else "id", word, start))
        elif src[i:i + 2] in ("==", "<=", "->"):
            i += 2
            out.append(Token("op", src[start:i], start))
        elif c in "+-*/()<=,":
            i += 1
            out.append(Token("op", c, start))
        else:
            raise LexError(f"bad character {c!r} at {i}")
    out.append(Token("end", "", i))
    return out


class Parser:
    PREC = {"==": 1, "<": 2, "<=": 2, "+": 3, "-": 3, "*": 4, "/": 4}

    def __init__(self, src):
        self.toks, self.i = tokenize(src), 0

    @property
    def cur(self):
        return self.toks[self.i]

    def take(self, text=None):
        t = self.cur
        if text is not None and t.text != text:
            raise SyntaxError(f"expected {text!r}, got {t!r} at {t.pos}")
        self.i += 1
        return t

    def parse(self):
        e = self.expr(0)
        if self.cur.kind != "end":
            raise SyntaxError(f"trailing {self.cur!r}")
        return e

    def expr(self, prec):
        t = self.cur
        if t.text == "let":
            self.take()
            name = self.take().text
            self.take("=")
            value = self.expr(0)
            self.take("in")
            return ("let", name, value, self.expr(0))
        if t.text == "if":
            self.take()
            c = self.expr(0)
            self.take("then")
            a = self.expr(0)
            self.take("else")
            return ("if", c, a, self.expr(0))
        if t.text == "fn":
            self.take()
            params = [self.take().text]
            while self.cur.text == ",":
                self.take()
                params.append(self.take().text)
            self.take("->")
            return ("fn", tuple(params), self.expr(0))
        left = self.unary()
        while (p := self.PREC.get(self.cur.text, 0)) > prec:
            op = self.take().text
            left = ("bin", op, left, self.expr(p))
        return left

    def unary(self):
        if self.cur.text == "-":
            self.take()
            return ("neg", self.unary())
        e = self.atom()
        while self.cur.text == "(":
            self.take()
            args = []
            while self.cur.text != ")":
                args.append(self.expr(0))
                if self.cur.text == ",":
                    self.take()
            self.take(")")
            e = ("call", e, tuple(args))
        return e

    def atom(self):
        t = self.take()
        if t.kind == "num":
            return ("num", float(t.text) if "." in t.text else int(t.text))
        if t.kind == "id":
            return ("var", t.text)
        if t.text == "(":
            e = self.expr(0)
            self.take(")")
            return e
        raise SyntaxError(f"unexpected {t!r}")


class Env(dict):
    def __init__(self, parent=None, **kw):
        super().__init__(**kw)
        self.parent = parent

    def __missing__(self, key):
        if self.parent is None:
            raise NameError(f"unknown {key}")
        return self.parent[key]


class Closure:
    def __init__(self, params, body, env):
        self.params, self.body, self.env = params, body, env

    def __call__(self, *args):
        if len(args) != len(self.params):
            raise TypeError(f"expected {len(self.params)} arguments")
        env = Env(self.env)
        env.update(zip(self.params, args))
        return evaluate(self.body, env)


OPS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b, "==": lambda a, b: a == b,
       "<": lambda a, b: a < b, "<=": lambda a, b: a <= b}


def evaluate(e, env):
    kind, *rest = e
    if kind == "num":
        return rest[0]
    if kind == "var":
        return env[rest[0]]
    if kind == "neg":
        return -evaluate(rest[0], env)
    if kind == "bin":
        op, a, b = rest
        return OPS[op](evaluate(a, env), evaluate(b, env))
    if kind == "let":
        name, value, body = rest
        inner = Env(env)
        inner[name] = evaluate(value, inner)
        return evaluate(body, inner)
    if kind == "if":
        return evaluate(rest[1] if evaluate(rest[0], env) else rest[2], env)
    if kind == "fn":
        return Closure(*rest, env)
    if kind == "call":
        return evaluate(rest[0], env)(*[evaluate(a, env) for a in rest[1]])
    raise AssertionError(kind)


root = Env(max=max, abs=abs, pi=3.14159)
for src in ("1 + 2 * 3", "(1 + 2) * 3 - 4 / 2", "let x = 5 in x * x", "let f = fn n -> if n <= 1 then 1 else n * f(n - 1) in f(20)", "let fib = fn n -> if n < 2 then n else fib(n - 1) + fib(n - 2) in fib(15)",
            "let add = fn a -> fn b -> a + b in add(3)(4)", "max(1, 2, 3) + abs(-4)", "2 * pi", "-(-3)", "let f = fn a, b -> a - b in f(10, 3)", "1 == 1.0", "let y = 1 in let y = y in y",
            "1 +", "(1", "1 $ 2", "nope", "1 / 0", "let f = fn a -> a in f(1, 2)", "5(3)", "1 2"):
    try:
        print(src, "=>", evaluate(Parser(src).parse(), root))
    except (SyntaxError, LexError, NameError, ZeroDivisionError, TypeError, RecursionError) as err:
        print(src, "!!", type(err).__name__, err)
