# f-strings.
x, y, name = 5, 2.5, "Ann"
d = {"a": 1, "b": [1, 2]}
print(f"{x} {y} {name} {x + 1} {x * y:.1f} {name!r} {name!s:>5} {name!a}")
print(f"{x=} {y = } {x + 1=} {name=!s} {y=:.3f} {name = !r:>8} {d['a']=}")
print(f"{{}} {{{x}}} {{x}} }}{{")
print(f"{d['a']} {d['b'][1]} {d}" f" {name.upper()}" " plain {x} " rf"\n{x}\d" fr'{x}\t')
print(f"{x:>{x}}|{y:{x}.{1}f}|{name:*^{x * 2}}|{x:0{3}d}|{x:{'>'}{4}}")
print(f"{'yes' if x > 3 else 'no'} {(lambda z: z * 2)(3)} {[i for i in range(3)]} { {1: 2}[1]} {{'a'}}")
print(f"""multi
{x}
  {name!r}""")
print(f"{x!r:^{10}}|{'a' 'b'}|{'nested ' + f'{x} inner {y!r}'}")
print(f"{x:}", f"{x!s}", f"{None} {True} {...}", f"", f"{''}", f"{x:,} {10 ** 6:,} {255:#x} {0.25:.0%}")
print(f'{"quoted"} {x}', f"{x if x else y}", f"{x == 5} {x != 5} {x >= 5} {x <= 4}", f"{(x := 7)} {x}", f"{x,} {x, y}", f"{*[1, 2], 3}")
print("a" f"{x}" "b" f"{y}" "c", f"a{'b'}c" * 2, len(f"{x}{y}"))
width, prec = 10, 3
print(f"{3.14159:{width}.{prec}}|{3.14159:<{width}.{prec}f}|{'s':{'*'}^{width}}")
print(f"{x}" == str(x), f"{y!r}" == repr(y), f"{[1, 'a']} {(1,)} {{1}} { {1} }")


class P:
    def __init__(self, v):
        self.v = v

    def __repr__(self):
        return f"P({self.v!r})"

    def __str__(self):
        return f"<{self.v}>"

    def __format__(self, spec):
        return f"[{self.v}|{spec}]"


p = P("q")
print(f"{p} {p!r} {p!s} {p:spec} {p!r:>10} {p=} {p=!s} {p=:x} {P(p)!r}")
order = []


def note(v):
    order.append(v)
    return v


print(f"{note(1)}{note(2):{note(3)}}{note(4)}", order)
try:
    f"{1 / 0}"
except ZeroDivisionError as e:
    print("caught", e)
try:
    f"{x:{'q'}}"
except ValueError as e:
    print("caught", e)
