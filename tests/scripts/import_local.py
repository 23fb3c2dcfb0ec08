# Importing a neighbouring source file and built-in modules in several ways.
import sys
import import_helper
import import_helper as helper_again
from import_helper import value, double as twice, Thing
import os.path as osp, math
from math import (sqrt,
                  floor)
print(import_helper is helper_again, value, twice(4), Thing().name, import_helper.counter)
import_helper.counter += 1
from import_helper import counter
print(counter, import_helper.__name__, "import_helper" in sys.modules, sys.modules["import_helper"] is import_helper, __name__)
print(sqrt(16), floor(2.7), osp.basename("/a/b.txt"), math.pi > 3)


def local_import():
    import json as j
    from collections import Counter as C
    return j.dumps({"a": [1, None]}), C("aab").most_common(1)


print(local_import())
for name in ("no_such_module", "math.nothing", "import_helper.sub"):
    try:
        if name == "no_such_module":
            import no_such_module
        elif name == "math.nothing":
            import math.nothing
        else:
            import import_helper.sub
    except ModuleNotFoundError as e:
        print(e)
try:
    import_helper.missing
except AttributeError as e:
    print(e)
try:
    from import_helper import missing
except ImportError as e:
    print(str(e).split(" (")[0])
try:
    import import_broken
except SyntaxError as e:
    print(type(e).__name__, e.msg, e.lineno)
try:
    import import_raises
except ValueError as e:
    print(e, "import_raises" in sys.modules)
