# A module that import_local.py imports.
value = 42
counter = 0
print("helper runs once as", __name__)


def double(x):
    return x * 2


class Thing:
    name = __name__ + ".Thing"
