"""Names of the types that have none among the builtins."""


def _f():
    yield


FunctionType = type(_f)
LambdaType = FunctionType
GeneratorType = type(_f())
CodeType = type(_f.__code__)
BuiltinFunctionType = type(len)
BuiltinMethodType = type([].append)
NoneType = type(None)
EllipsisType = type(Ellipsis)
NotImplementedType = type(NotImplemented)


class _C:
    def m(self):
        pass


MethodType = type(_C().m)
MappingProxyType = type(_C.__dict__)


def _cell():
    x = 1

    def inner():
        return x
    return inner.__closure__[0]


CellType = type(_cell())

import sys
ModuleType = type(sys)

try:
    raise TypeError
except TypeError as _error:
    TracebackType = type(_error.__traceback__)
    FrameType = type(_error.__traceback__.tb_frame)
    _error = None


class SimpleNamespace:
    def __init__(self, /, **kwargs):
        self.__dict__.update(kwargs)

    def __repr__(self):
        return "namespace(%s)" % ", ".join(["%s=%r" % item for item in self.__dict__.items()])

    def __eq__(self, other):
        if not isinstance(other, SimpleNamespace):
            return NotImplemented
        return self.__dict__ == other.__dict__
