"""ExceptionGroup, which becomes a builtin when it is first named, and what `except*` asks."""

import builtins


def _matcher(condition):
    if isinstance(condition, type) and issubclass(condition, BaseException):
        return lambda exc: isinstance(exc, condition)
    if isinstance(condition, tuple) and all(isinstance(c, type) and issubclass(c, BaseException) for c in condition):
        return lambda exc: isinstance(exc, condition)
    if callable(condition) and not isinstance(condition, type):
        return condition
    raise TypeError("expected a function, exception type or tuple of exception types")


class BaseExceptionGroup(BaseException):
    """A combination of multiple unrelated exceptions."""

    __module__ = "builtins"

    def __new__(cls, message, exceptions, /):
        if not isinstance(message, str):
            raise TypeError("argument 1 must be str, not %s" % type(message).__name__)
        if not hasattr(exceptions, "__len__") or not hasattr(exceptions, "__getitem__") or isinstance(exceptions, dict):
            raise TypeError("second argument (exceptions) must be a sequence")
        if not exceptions:
            raise ValueError("second argument (exceptions) must be a non-empty sequence")
        for i, exc in enumerate(exceptions):
            if not isinstance(exc, BaseException):
                raise ValueError("Item %d of second argument (exceptions) is not an exception" % i)
        if all(isinstance(exc, Exception) for exc in exceptions):
            if cls is BaseExceptionGroup:
                cls = ExceptionGroup
        elif issubclass(cls, Exception):
            if cls is ExceptionGroup:
                raise TypeError("Cannot nest BaseExceptions in an ExceptionGroup")
            raise TypeError("Cannot nest BaseExceptions in '%s'" % cls.__name__)
        self = super().__new__(cls, message, exceptions)
        self._message = message
        self._exceptions = tuple(exceptions)
        return self

    def __init__(self, *args):
        BaseException.__init__(self, *args)

    message = property(lambda self: self._message)
    exceptions = property(lambda self: self._exceptions)

    def __str__(self):
        n = len(self._exceptions)
        return "%s (%d sub-exception%s)" % (self._message, n, "" if n == 1 else "s")

    def derive(self, exceptions, /):
        return BaseExceptionGroup(self._message, exceptions)

    def _derived(self, exceptions):
        if not exceptions:
            return None
        group = self.derive(exceptions)
        if not isinstance(group, BaseExceptionGroup):
            raise TypeError("derive must return an instance of BaseExceptionGroup")
        group.__traceback__ = self.__traceback__
        group.__context__ = self.__context__
        if self.__cause__ is not None or self.__suppress_context__:
            group.__cause__ = self.__cause__
        if hasattr(self, "__notes__"):
            group.__notes__ = list(self.__notes__)
        return group

    def split(self, condition, /):
        return self._split(_matcher(condition))

    def _split(self, matches):
        if matches(self):
            return self, None
        yes, no = [], []
        for exc in self._exceptions:
            if isinstance(exc, BaseExceptionGroup):
                inner, rest = exc._split(matches)
                if inner is not None:
                    yes.append(inner)
                if rest is not None:
                    no.append(rest)
            elif matches(exc):
                yes.append(exc)
            else:
                no.append(exc)
        return self._derived(yes), self._derived(no)

    def subgroup(self, condition, /):
        return self._subgroup(_matcher(condition))

    def _subgroup(self, matches):
        if matches(self):
            return self
        yes = []
        for exc in self._exceptions:
            if isinstance(exc, BaseExceptionGroup):
                exc = exc._subgroup(matches)
                if exc is not None:
                    yes.append(exc)
            elif matches(exc):
                yes.append(exc)
        if len(yes) == len(self._exceptions) and all(a is b for a, b in zip(yes, self._exceptions)):
            return self
        return self._derived(yes)

    @classmethod
    def __class_getitem__(cls, item):
        return cls


class ExceptionGroup(BaseExceptionGroup, Exception):
    __module__ = "builtins"


builtins.BaseExceptionGroup = BaseExceptionGroup
builtins.ExceptionGroup = ExceptionGroup


def _leaves(exc, ids):
    if isinstance(exc, BaseExceptionGroup):
        for inner in exc.exceptions:
            _leaves(inner, ids)
    else:
        ids.add(id(exc))


def _keep(group, ids):
    """The part of a group that has these leaves."""
    kept = []
    for exc in group.exceptions:
        if isinstance(exc, BaseExceptionGroup):
            exc = _keep(exc, ids)
            if exc is not None:
                kept.append(exc)
        elif id(exc) in ids:
            kept.append(exc)
    return group._derived(kept)


class Star:
    """The state of one `try` with `except*`: what is not handled yet, and what the handlers raised."""

    def __init__(self, exc):
        self.exc = self.rest = exc
        self.raised = []

    def match(self, kind):
        for one in kind if isinstance(kind, tuple) else (kind,):
            if not (isinstance(one, type) and issubclass(one, BaseException)):
                raise TypeError("catching classes that do not inherit from BaseException is not allowed")
            if issubclass(one, BaseExceptionGroup):
                raise TypeError("catching ExceptionGroup with except* is not allowed. Use except instead.")
        rest = self.rest
        if rest is None:
            return None
        if isinstance(rest, BaseExceptionGroup):
            found, self.rest = rest.split(kind)
            return found
        if not isinstance(rest, kind):
            return None
        self.rest = None
        group = BaseExceptionGroup("", [rest])
        group.__traceback__ = rest.__traceback__
        return group

    def add(self, exc):
        self.raised.append(exc)

    def finish(self):
        """What is to be raised in the end, or None."""
        exc, rest, raised = self.exc, self.rest, self.raised
        self.exc = self.rest = self.raised = None
        if not isinstance(exc, BaseExceptionGroup):
            # A naked exception: matched as a whole or not at all.
            return raised[0] if raised else rest
        new, again = [], []
        for one in raised:
            (again if _same(one, exc) else new).append(one)
        if rest is not None:
            again.append(rest)
        if not again:
            left = None
        elif len(again) == 1 and again[0] is exc:
            left = exc
        else:
            ids = set()
            for one in again:
                _leaves(one, ids)
            left = _keep(exc, ids)
        if not new:
            return left
        if left is not None:
            new.append(left)
        return new[0] if len(new) == 1 else BaseExceptionGroup("", new)


def _same(one, exc):
    """Is it a part of exc, raised again? The parts that split() makes share with it what is compared here."""
    return (one.__traceback__ is exc.__traceback__ and one.__cause__ is exc.__cause__ and
            one.__context__ is exc.__context__ and getattr(one, "__notes__", None) == getattr(exc, "__notes__", None))
