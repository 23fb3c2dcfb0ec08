# exit: 1
# stderr
# An uncaught exception: traceback with carets, chained exceptions.
class Thing:
    def method(self, n):
        if n == 0:
            return [1, 2, 3][5] + 1
        return self.method(n - 1)


def cause():
    try:
        Thing().method(2)
    except IndexError as e:
        raise ValueError("wrapped") from e


def context():
    try:
        cause()
    except ValueError:
        return {}["missing"]


print("before")
x = context()
print("not reached")
