# if, while, for, break, continue, else; boolean operators; conditional expressions.
for n in range(1, 16):
    if n % 15 == 0:
        print("fizzbuzz", end=" ")
    elif n % 5 == 0:
        print("buzz", end=" ")
    elif n % 3 == 0:
        print("fizz", end=" ")
    else:
        print(n, end=" ")
print()
i = 0
while i < 10:
    i += 1
    if i == 3:
        continue
    if i == 6:
        break
    print(i, end=" ")
else:
    print("never")
while i > 0:
    i -= 2
else:
    print("while else", i)
for n in range(2, 20):
    for d in range(2, n):
        if n % d == 0:
            break
    else:
        print(n, end=" ")
print()
for x in []:
    pass
else:
    print("for else")
print(1 and 2, 0 and 2, 1 or 2, 0 or 2, "" or [] or None, 1 and "" and 2, not 1, not "", 1 if [] else 2, (1 if 0 else 2) if 1 else 3, not (1 and 0) or 5)
print(1 < 2 < 3, 1 < 3 < 2, 3 > 2 >= 2 > 1, 1 == 1 != 2, 1 in [1] == True, None is None is not 1, "a" < "b" < "c")
calls = []


def t(v):
    calls.append(v)
    return v


t(0) and t(1)
t(1) or t(2)
t(1) < t(0) < t(5)
t(7) if t(0) else t(8)
not t(9)
print(calls)
for a in (0, 1):
    for b in (0, 1):
        for c in (0, 1):
            print(int(bool(a and b or c)), int(bool(a or b and c)), int(not a and b), int(bool(a and not (b or c))), end="|")
            if a and (b or c) and not (a and b and c):
                print("x", end=" ")
            if not (a or b) or c:
                print("y", end=" ")
            if (a if b else c):
                print("z", end=" ")
            if 0 < a + b + c < 3 <= a + b + c + 1:
                print("w", end=" ")
print()
if None:
    print("no")
if "":
    print("no")
if 0.0 or () or {} or set() or b"":
    print("no")
if 1:
    pass
if [0] and {0: 0} and (0,) and "0" and -1:
    print("truthy")
x = None
print(x is None, x is not None, x == None, "none" if x is None else "some", "some" if x is not None else "none")
if x is None or x.foo:
    print("short circuit")
if x is not None and x.foo:
    print("no")
while True:
    if i > 5:
        break
    i += 3
print(i)
while 0:
    print("no")
for i in range(3):
    for j in range(3):
        if j == 1:
            continue
        if i == 1:
            break
        print(i, j, end=" ")
    else:
        print("inner else", end=" ")
print(i, j)
for k, v in {"a": 1}.items(): print(k, v)
for i, (a, b) in enumerate([(1, 2), (3, 4)]): print(i, a, b)
for obj.attr in (): pass
d = {}
for d["k"] in range(3): pass
print(d)
l = [1, 2, 3]
for l[0] in "xy": print(l)
if 1: print("one line"); print("two")
n = 27
steps = 0
while n != 1:
    n = n // 2 if n % 2 == 0 else 3 * n + 1
    steps += 1
print(steps)
total = 0
for i in range(100):
    if i % 2: continue
    if i > 50: break
    total += i
print(total, i)
it = iter([1, 2, 3, 4, 5])
for v in it:
    print(v, next(it, None), end=" ")
print()
for v in iter(lambda: len(calls), 0):
    calls.pop()
print(calls)
pass
...
"docstring-like"
5
