"""Looking at functions, classes and frames.  There is no source text to be had: getsource raises OSError."""

import keyword
import sys
import types
from collections import OrderedDict, namedtuple

CO_VARARGS, CO_VARKEYWORDS, CO_NESTED, CO_GENERATOR = 4, 8, 16, 32
CO_COROUTINE, CO_ITERABLE_COROUTINE, CO_ASYNC_GENERATOR = 128, 256, 512


def ismodule(object):
    return isinstance(object, types.ModuleType)


def isclass(object):
    return isinstance(object, type)


def ismethod(object):
    return isinstance(object, types.MethodType)


def isfunction(object):
    return isinstance(object, types.FunctionType)


def isbuiltin(object):
    return isinstance(object, types.BuiltinFunctionType)


def ismethoddescriptor(object):
    if isclass(object) or ismethod(object) or isfunction(object):
        return False
    return hasattr(type(object), "__get__") and not hasattr(type(object), "__set__")


def isdatadescriptor(object):
    if isclass(object) or ismethod(object) or isfunction(object):
        return False
    return hasattr(type(object), "__set__") or hasattr(type(object), "__delete__")


def isroutine(object):
    return isbuiltin(object) or isfunction(object) or ismethod(object) or ismethoddescriptor(object)


def isabstract(object):
    return isinstance(object, type) and bool(getattr(object, "__abstractmethods__", None))


def isframe(object):
    return isinstance(object, types.FrameType)


def istraceback(object):
    return isinstance(object, types.TracebackType)


def iscode(object):
    return isinstance(object, types.CodeType)


def isgenerator(object):
    return isinstance(object, types.GeneratorType)


def iscoroutine(object):
    return isinstance(object, types.CoroutineType)


def isasyncgen(object):
    return isinstance(object, types.AsyncGeneratorType)


def isawaitable(object):
    return iscoroutine(object) or hasattr(type(object), "__await__")


def _flagged(object, flag):
    object = unwrap_partial(object)
    if ismethod(object):
        object = object.__func__
    return isfunction(object) and bool(object.__code__.co_flags & flag)


def isgeneratorfunction(object):
    return _flagged(object, CO_GENERATOR)


def iscoroutinefunction(object):
    return _flagged(object, CO_COROUTINE)


def isasyncgenfunction(object):
    return _flagged(object, CO_ASYNC_GENERATOR)


def unwrap_partial(object):
    while type(object).__name__ == "partial" and hasattr(object, "func"):
        object = object.func
    return object


def unwrap(func, *, stop=None):
    seen = set()
    while hasattr(func, "__wrapped__") and not (stop is not None and stop(func)):
        if id(func) in seen:
            raise ValueError("wrapper loop when unwrapping %r" % func)
        seen.add(id(func))
        func = func.__wrapped__
    return func


def getmembers(object, predicate=None):
    found = []
    for name in dir(object):
        try:
            value = getattr(object, name)
        except AttributeError:
            continue
        if predicate is None or predicate(value):
            found.append((name, value))
    found.sort(key=lambda pair: pair[0])
    return found


def getmro(cls):
    return cls.__mro__


def getmodule(object):
    if ismodule(object):
        return object
    return sys.modules.get(getattr(object, "__module__", None))


def getdoc(object):
    doc = getattr(object, "__doc__", None)
    return cleandoc(doc) if isinstance(doc, str) else None


def cleandoc(doc):
    lines = doc.expandtabs().split("\n")
    margins = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(margins) if margins else 0
    lines = [lines[0].lstrip()] + [line[margin:] for line in lines[1:]]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return "\n".join(lines)


def getsource(object):
    raise OSError("could not get source code")


getsourcelines = getsource


def getfile(object):
    if ismodule(object) and getattr(object, "__file__", None):
        return object.__file__
    if ismethod(object):
        object = object.__func__
    if isfunction(object):
        object = object.__code__
    if istraceback(object):
        object = object.tb_frame
    if isframe(object):
        object = object.f_code
    if iscode(object):
        return object.co_filename
    raise TypeError("module, class, method, function, traceback, frame, or code object was expected, got %s" %
                    type(object).__name__)


def currentframe():
    return sys._getframe(1)


Traceback = namedtuple("Traceback", "filename lineno function code_context index")
FrameInfo = namedtuple("FrameInfo", "frame filename lineno function code_context index")


def getframeinfo(frame, context=1):
    lineno = frame.tb_lineno if istraceback(frame) else frame.f_lineno
    frame = frame.tb_frame if istraceback(frame) else frame
    return Traceback(frame.f_code.co_filename, lineno, frame.f_code.co_name, None, None)


def getouterframes(frame, context=1):
    found = []
    while frame is not None:
        found.append(FrameInfo(frame, *getframeinfo(frame)))
        frame = frame.f_back
    return found


def stack(context=1):
    return getouterframes(sys._getframe(1), context)


def getgeneratorstate(generator):
    if generator.gi_running:
        return "GEN_RUNNING"
    if generator.gi_suspended:
        return "GEN_SUSPENDED"
    return "GEN_CLOSED" if generator.gi_frame is None else "GEN_CREATED"


def getcoroutinestate(coroutine):
    if coroutine.cr_running:
        return "CORO_RUNNING"
    if coroutine.cr_suspended:
        return "CORO_SUSPENDED"
    return "CORO_CLOSED" if coroutine.cr_frame is None else "CORO_CREATED"


class _empty:
    """Marks what a signature does not say."""


class _Kind(int):
    names = ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY", "VAR_KEYWORD")
    descriptions = ("positional-only", "positional or keyword", "variadic positional", "keyword-only", "variadic keyword")
    name = property(lambda self: self.names[self])
    description = property(lambda self: self.descriptions[self])

    def __str__(self):
        return self.name

    def __repr__(self):
        return "<_ParameterKind.%s: %d>" % (self.name, int(self))


def formatannotation(annotation):
    if isinstance(annotation, type) and not hasattr(annotation, "__origin__"):
        if annotation.__module__ in ("builtins", "__main__"):
            return annotation.__qualname__
        return annotation.__module__ + "." + annotation.__qualname__
    return repr(annotation)


class Parameter:
    POSITIONAL_ONLY, POSITIONAL_OR_KEYWORD, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD = map(_Kind, range(5))
    empty = _empty

    def __init__(self, name, kind, *, default=_empty, annotation=_empty):
        if kind not in range(5):
            raise ValueError("value %r is not a valid Parameter.kind" % (kind,))
        kind = _Kind(kind)
        if default is not _empty and kind in (2, 4):
            raise ValueError("%s parameters cannot have default values" % kind.description)
        if name is _empty:
            raise ValueError("name is a required attribute for Parameter")
        if not isinstance(name, str):
            raise TypeError("name must be a str, not a %s" % type(name).__name__)
        if not name.isidentifier() or keyword.iskeyword(name) and kind != 0:
            raise ValueError("%r is not a valid parameter name" % name)
        self.name = name
        self.kind = kind
        self.default = default
        self.annotation = annotation

    def replace(self, *, name=None, kind=None, default=None, annotation=None):
        return Parameter(self.name if name is None else name, self.kind if kind is None else kind,
                         default=self.default if default is None else default,
                         annotation=self.annotation if annotation is None else annotation)

    def __str__(self):
        text = self.name
        if self.annotation is not _empty:
            text += ": " + formatannotation(self.annotation)
        if self.default is not _empty:
            text += (" = " if self.annotation is not _empty else "=") + repr(self.default)
        return {2: "*", 4: "**"}.get(int(self.kind), "") + text

    def __repr__(self):
        return '<Parameter "%s">' % self

    def __eq__(self, other):
        if not isinstance(other, Parameter):
            return NotImplemented
        return (self.name, self.kind, self.default, self.annotation) == (other.name, other.kind, other.default, other.annotation)

    def __hash__(self):
        return hash((self.name, self.kind))


class BoundArguments:
    def __init__(self, signature, arguments):
        self.signature = signature
        self.arguments = arguments

    @property
    def args(self):
        result = []
        for name, parameter in self.signature.parameters.items():
            if parameter.kind in (Parameter.VAR_KEYWORD, Parameter.KEYWORD_ONLY) or name not in self.arguments:
                break
            if parameter.kind == Parameter.VAR_POSITIONAL:
                result.extend(self.arguments[name])
            else:
                result.append(self.arguments[name])
        return tuple(result)

    @property
    def kwargs(self):
        result = {}
        named = False
        for name, parameter in self.signature.parameters.items():
            named = named or parameter.kind in (Parameter.VAR_KEYWORD, Parameter.KEYWORD_ONLY) or name not in self.arguments
            if not named or name not in self.arguments:
                continue
            if parameter.kind == Parameter.VAR_KEYWORD:
                result.update(self.arguments[name])
            else:
                result[name] = self.arguments[name]
        return result

    def apply_defaults(self):
        arguments = {}
        for name, parameter in self.signature.parameters.items():
            if name in self.arguments:
                arguments[name] = self.arguments[name]
            elif parameter.default is not _empty:
                arguments[name] = parameter.default
            elif parameter.kind == Parameter.VAR_POSITIONAL:
                arguments[name] = ()
            elif parameter.kind == Parameter.VAR_KEYWORD:
                arguments[name] = {}
        self.arguments = arguments

    def __repr__(self):
        return "<BoundArguments (%s)>" % ", ".join(["%s=%r" % item for item in self.arguments.items()])


class Signature:
    empty = _empty

    def __init__(self, parameters=None, *, return_annotation=_empty):
        found = OrderedDict()
        before = Parameter.POSITIONAL_ONLY
        optional = False
        for p in parameters or ():
            if p.kind < before:
                raise ValueError("wrong parameter order: %s parameter before %s parameter" %
                                 (before.description, p.kind.description))
            if p.kind > before:
                before = p.kind
            if p.kind <= 1:
                if optional and p.default is _empty:
                    raise ValueError("non-default argument follows default argument")
                optional = p.default is not _empty
            if p.name in found:
                raise ValueError("duplicate parameter name: %r" % p.name)
            found[p.name] = p
        self.parameters = types.MappingProxyType(found)
        self.return_annotation = return_annotation

    @classmethod
    def from_callable(cls, function):
        return signature(function)

    def replace(self, *, parameters=None, return_annotation=None):
        return Signature(self.parameters.values() if parameters is None else parameters,
                         return_annotation=self.return_annotation if return_annotation is None else return_annotation)

    def __str__(self):
        parts = []
        before = None
        starred = False
        for parameter in self.parameters.values():
            kind = parameter.kind
            if before == Parameter.POSITIONAL_ONLY and kind != before:
                parts.append("/")
            if kind == Parameter.VAR_POSITIONAL:
                starred = True
            elif kind == Parameter.KEYWORD_ONLY and not starred:
                parts.append("*")
                starred = True
            parts.append(str(parameter))
            before = kind
        if before == Parameter.POSITIONAL_ONLY:
            parts.append("/")
        text = "(%s)" % ", ".join(parts)
        if self.return_annotation is not _empty:
            text += " -> " + formatannotation(self.return_annotation)
        return text

    def __repr__(self):
        return "<Signature %s>" % self

    def __eq__(self, other):
        if not isinstance(other, Signature):
            return NotImplemented
        return (list(self.parameters.values()) == list(other.parameters.values()) and
                self.return_annotation == other.return_annotation)

    def __hash__(self):
        return hash(tuple(self.parameters))

    def bind(self, /, *args, **kwargs):
        return self._bind(args, kwargs, False)

    def bind_partial(self, /, *args, **kwargs):
        return self._bind(args, kwargs, True)

    def _bind(self, args, kwargs, partial):
        arguments = {}
        args = list(args)
        rest = None
        for name, parameter in self.parameters.items():
            kind = parameter.kind
            if kind == Parameter.VAR_POSITIONAL:
                if args:
                    arguments[name] = tuple(args)
                    args = []
            elif kind == Parameter.VAR_KEYWORD:
                rest = name
            elif args and kind != Parameter.KEYWORD_ONLY:
                if name in kwargs and kind != Parameter.POSITIONAL_ONLY:
                    raise TypeError("multiple values for argument %r" % name)
                arguments[name] = args.pop(0)
            elif name in kwargs and kind != Parameter.POSITIONAL_ONLY:
                arguments[name] = kwargs.pop(name)
            elif parameter.default is _empty and not partial:
                raise TypeError("missing a required argument: %r" % name)
        if args:
            raise TypeError("too many positional arguments")
        if rest is not None:
            if kwargs:
                arguments[rest] = kwargs
        elif kwargs:
            raise TypeError("got an unexpected keyword argument %r" % next(iter(kwargs)))
        return BoundArguments(self, arguments)


def _of_function(function):
    code = function.__code__
    names = code.co_varnames
    defaults = function.__defaults__ or ()
    kwdefaults = function.__kwdefaults__ or {}
    annotations = function.__annotations__
    n, kwonly = code.co_argcount, code.co_kwonlyargcount
    found = []
    for i in range(n):
        default = defaults[i - n + len(defaults)] if i >= n - len(defaults) else _empty
        kind = Parameter.POSITIONAL_ONLY if i < code.co_posonlyargcount else Parameter.POSITIONAL_OR_KEYWORD
        found.append((names[i], kind, default))
    at = n + kwonly
    if code.co_flags & CO_VARARGS:
        found.append((names[at], Parameter.VAR_POSITIONAL, _empty))
        at += 1
    for name in names[n:n + kwonly]:
        found.append((name, Parameter.KEYWORD_ONLY, kwdefaults.get(name, _empty)))
    if code.co_flags & CO_VARKEYWORDS:
        found.append((names[at], Parameter.VAR_KEYWORD, _empty))
    return Signature([Parameter(name, kind, default=default, annotation=annotations.get(name, _empty))
                      for name, kind, default in found], return_annotation=annotations.get("return", _empty))


def _without_first(sig):
    parameters = list(sig.parameters.values())
    if parameters and parameters[0].kind != Parameter.VAR_POSITIONAL:
        del parameters[0]
    return sig.replace(parameters=parameters)


def signature(obj, *, follow_wrapped=True):
    if not callable(obj):
        raise TypeError("%r is not a callable object" % (obj,))
    if ismethod(obj):
        return _without_first(signature(obj.__func__))
    if follow_wrapped:
        obj = unwrap(obj, stop=lambda f: hasattr(f, "__signature__"))
        if ismethod(obj):
            return signature(obj)
    if isinstance(getattr(obj, "__signature__", None), Signature):
        return obj.__signature__
    if isfunction(obj):
        return _of_function(obj)
    if type(obj).__name__ == "partial" and hasattr(obj, "func"):
        return _of_partial(obj)
    if isclass(obj):
        for name in ("__new__", "__init__"):
            method = getattr(obj, name, None)
            if isfunction(method):
                return _without_first(signature(method))
        if obj.__init__ is object.__init__ and obj.__new__ is object.__new__:
            return Signature()
    elif isfunction(getattr(type(obj), "__call__", None)):
        return _without_first(signature(type(obj).__call__))
    raise ValueError("no signature found for builtin %r" % (obj,))


def _of_partial(obj):
    left = len(obj.args)
    parameters = []
    keyword_only = False
    whole = signature(obj.func)
    for parameter in whole.parameters.values():
        kind = parameter.kind
        if left and kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD):
            left -= 1
            continue
        if parameter.name in obj.keywords and kind != Parameter.VAR_KEYWORD:
            parameter = parameter.replace(default=obj.keywords[parameter.name])
            keyword_only = True
        if keyword_only and kind == Parameter.POSITIONAL_OR_KEYWORD:
            parameter = parameter.replace(kind=Parameter.KEYWORD_ONLY)
        if not (keyword_only and kind == Parameter.VAR_POSITIONAL):
            parameters.append(parameter)
    return whole.replace(parameters=parameters)


FullArgSpec = namedtuple("FullArgSpec", "args varargs varkw defaults kwonlyargs kwonlydefaults annotations")


def getfullargspec(func):
    code = (func.__func__ if ismethod(func) else func).__code__
    names, n, k = code.co_varnames, code.co_argcount, code.co_kwonlyargcount
    at = n + k
    varargs = varkw = None
    if code.co_flags & CO_VARARGS:
        varargs = names[at]
        at += 1
    if code.co_flags & CO_VARKEYWORDS:
        varkw = names[at]
    return FullArgSpec(list(names[:n]), varargs, varkw, func.__defaults__, list(names[n:n + k]), func.__kwdefaults__,
                       func.__annotations__)


def _listed(names):
    names = [repr(n) for n in names]
    return ", ".join(names[:-2] + [" and ".join(names[-2:])])


def _missing(func, names, kind):
    raise TypeError("%s() missing %d required %s argument%s: %s" % (
        func.__name__, len(names), kind, "" if len(names) == 1 else "s", _listed(names)))


def _too_many(func, spec, given, by_keyword):
    least, most = len(spec.args) - len(spec.defaults or ()), len(spec.args)
    takes = "%d" % most if least == most else "from %d to %d" % (least, most)
    extra = ""
    if by_keyword:
        extra = " positional argument%s (and %d keyword-only argument%s)" % (
            "" if given == 1 else "s", by_keyword, "" if by_keyword == 1 else "s")
    raise TypeError("%s() takes %s positional argument%s but %d%s %s given" % (
        func.__name__, takes, "" if (takes == "1") else "s", given, extra, "was" if given == 1 and not extra else "were"))


def getcallargs(func, /, *positional, **named):
    """{parameter: value} of the call func(*positional, **named); its TypeError if it would fail."""
    spec = getfullargspec(func)
    if ismethod(func) and func.__self__ is not None:
        positional = (func.__self__,) + positional
    result = dict(zip(spec.args, positional))
    if spec.varargs:
        result[spec.varargs] = tuple(positional[len(spec.args):])
    known = set(spec.args + spec.kwonlyargs)
    if spec.varkw:
        result[spec.varkw] = {}
    for key, value in named.items():
        if key not in known:
            if not spec.varkw:
                raise TypeError("%s() got an unexpected keyword argument %r" % (func.__name__, key))
            result[spec.varkw][key] = value
        elif key in result:
            raise TypeError("%s() got multiple values for argument %r" % (func.__name__, key))
        else:
            result[key] = value
    if len(positional) > len(spec.args) and not spec.varargs:
        _too_many(func, spec, len(positional), len([k for k in spec.kwonlyargs if k in result]))
    defaults = dict(zip(spec.args[len(spec.args) - len(spec.defaults or ()):], spec.defaults or ()))
    missing = [a for a in spec.args if a not in result and a not in defaults]
    if missing:
        _missing(func, missing, "positional")
    defaults.update(spec.kwonlydefaults or {})
    missing = [a for a in spec.kwonlyargs if a not in result and a not in defaults]
    if missing:
        _missing(func, missing, "keyword-only")
    for key, value in defaults.items():
        result.setdefault(key, value)
    return result


_none = object()


def _in_classes(mro, name):
    for cls in mro:
        attributes = type.__dict__["__dict__"].__get__(cls)
        if name in attributes:
            return attributes[name]
    return _none


def getattr_static(obj, attr, default=_none):
    """The attribute as it is stored: no descriptor, __getattr__ or __getattribute__ is asked."""
    of_instance = _none
    cls = obj if isinstance(obj, type) else type(obj)
    mro = type.__dict__["__mro__"].__get__(cls)
    if cls is not obj:
        attributes = _in_classes(mro, "__dict__")
        if attributes is _none or not isinstance(attributes, property):
            try:
                of_instance = object.__getattribute__(obj, "__dict__").get(attr, _none)
            except AttributeError:
                pass
    of_class = _in_classes(mro, attr)
    if of_instance is not _none and of_class is not _none:
        kind = type.__dict__["__mro__"].__get__(type(of_class))
        if _in_classes(kind, "__get__") is not _none and (
                _in_classes(kind, "__set__") is not _none or _in_classes(kind, "__delete__") is not _none):
            return of_class
    if of_instance is not _none:
        return of_instance
    if of_class is not _none:
        return of_class
    if cls is obj:
        of_meta = _in_classes(type.__dict__["__mro__"].__get__(type(cls)), attr)
        if of_meta is not _none:
            return of_meta
    if default is not _none:
        return default
    raise AttributeError(attr)
