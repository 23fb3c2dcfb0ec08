# exit: 1
# stderr
# A syntax error: file, line, caret; nothing runs.
print("must not print")
def f(a, b):
    return a b
