# Module warnings.
import warnings


def old():
    warnings.warn("old() is old", DeprecationWarning, stacklevel=2)


with warnings.catch_warnings(record=True) as log:
    warnings.simplefilter("always")
    old()
    warnings.warn("plain")
    warnings.warn(RuntimeWarning("made"))
    for w in log:
        print(w.category.__name__, w.message, type(w.message).__name__, w.lineno > 0)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        old()
    except DeprecationWarning as e:
        print("raised", e)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    old()
    warnings.warn("nothing")
with warnings.catch_warnings(record=True) as log:
    warnings.simplefilter("default")
    warnings.filterwarnings("error", "bad", UserWarning)
    warnings.filterwarnings("ignore", category=RuntimeWarning)
    for _ in range(3):
        warnings.warn("again")
        warnings.warn("not shown", RuntimeWarning)
    try:
        warnings.warn("BAD thing")
    except UserWarning as e:
        print("raised", e)
    print(len(log))
with warnings.catch_warnings(record=True) as log:
    warnings.simplefilter("once")
    for text in ("a", "b", "a"):
        warnings.warn(text)
    print([str(w.message) for w in log])
print(warnings.formatwarning("text", UserWarning, "file.py", 3, "  source"), end="")
for bad in (lambda: warnings.warn("x", int), lambda: warnings.warn("x", "y")):
    try:
        bad()
    except TypeError as e:
        print(type(e).__name__)
for bad in (lambda: warnings.filterwarnings("nope"), lambda: warnings.filterwarnings("error", category=int),
            lambda: warnings.filterwarnings("error", category=5), lambda: warnings.filterwarnings("error", message=5),
            lambda: warnings.filterwarnings("error", module=5), lambda: warnings.filterwarnings("error", lineno=-1),
            lambda: warnings.simplefilter("nope"), lambda: warnings.simplefilter("error", lineno=-1)):
    try:
        bad()
    except AssertionError as e:
        print(e)
caught = warnings.catch_warnings(record=True)
for use in (lambda: caught.__exit__(), caught.__enter__, caught.__enter__, caught.__exit__):
    try:
        print(use())
    except RuntimeError as e:
        print(e)
with warnings.catch_warnings(record=True) as log:
    warnings.simplefilter("always")
    warnings.warn(ValueError("no text"))
    print(repr(log[0].message), log[0].category)
    warnings.simplefilter("error")
    try:
        warnings.warn(ValueError("no text"))
    except UserWarning as e:
        print(repr(e))
