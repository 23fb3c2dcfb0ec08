"""Abstract classes: the decorators are accepted and mark, but nothing is enforced (no metaclasses)."""


def abstractmethod(function):
    function.__isabstractmethod__ = True
    return function


class ABC:
    __slots__ = ()


ABCMeta = type
abstractproperty = property
abstractclassmethod = classmethod
abstractstaticmethod = staticmethod
