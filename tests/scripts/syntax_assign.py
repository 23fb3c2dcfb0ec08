# exit: 1
# stderr
def f():
    return 1


f() = 2
