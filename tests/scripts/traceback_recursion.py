# exit: 1
# stderr
# Repeated frames are folded in the traceback.
def down(n):
    if n == 0:
        raise RuntimeError("bottom\nsecond line")
    down(n - 1)


down(20)
