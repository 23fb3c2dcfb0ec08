"""Context managers from generators, and a few ready ones."""

from functools import wraps


class AbstractContextManager:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return None


class AbstractAsyncContextManager:
    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, value, traceback):
        return None


class chdir(AbstractContextManager):
    """Another current folder for the block."""

    def __init__(self, path):
        self.path = path
        self._before = []

    def __enter__(self):
        import os
        self._before.append(os.getcwd())
        os.chdir(self.path)

    def __exit__(self, kind, value, traceback):
        import os
        os.chdir(self._before.pop())


class ContextDecorator:
    def _recreate_cm(self):
        return self

    def __call__(self, function):
        @wraps(function)
        def inner(*args, **kwargs):
            with self._recreate_cm():
                return function(*args, **kwargs)
        return inner


class _GeneratorContextManager(ContextDecorator):
    def __init__(self, function, args, kwargs):
        self.gen = function(*args, **kwargs)
        self._made_by = (function, args, kwargs)

    def _recreate_cm(self):
        return self.__class__(*self._made_by)

    def __enter__(self):
        try:
            return next(self.gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield") from None

    def __exit__(self, kind, value, traceback):
        if kind is None:
            try:
                next(self.gen)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        if value is None:
            value = kind()
        try:
            self.gen.throw(value)
        except StopIteration as stop:
            return stop is not value
        except RuntimeError as error:
            if error is value:
                return False
            if isinstance(value, StopIteration) and error.__cause__ is value:
                return False
            raise
        except BaseException as error:
            if error is not value:
                raise
            return False
        raise RuntimeError("generator didn't stop after throw()")


def contextmanager(function):
    @wraps(function)
    def make(*args, **kwargs):
        return _GeneratorContextManager(function, args, kwargs)
    return make


class closing:
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *details):
        self.thing.close()


class suppress:
    def __init__(self, *exceptions):
        self._exceptions = exceptions

    def __enter__(self):
        pass

    def __exit__(self, kind, value, traceback):
        return kind is not None and issubclass(kind, self._exceptions)


class nullcontext:
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, *details):
        pass

    async def __aenter__(self):
        return self.enter_result

    async def __aexit__(self, *details):
        pass


class aclosing(AbstractAsyncContextManager):
    """Awaits thing.aclose() at the end."""

    def __init__(self, thing):
        self.thing = thing

    async def __aenter__(self):
        return self.thing

    async def __aexit__(self, *details):
        await self.thing.aclose()


class _Redirect:
    _stream = None

    def __init__(self, target):
        self._target = target
        self._old = []

    def __enter__(self):
        import sys
        self._old.append(getattr(sys, self._stream))
        setattr(sys, self._stream, self._target)
        return self._target

    def __exit__(self, *details):
        import sys
        setattr(sys, self._stream, self._old.pop())


class redirect_stdout(_Redirect):
    _stream = "stdout"


class redirect_stderr(_Redirect):
    _stream = "stderr"


class _Exits:
    """What both stacks have: the functions to call at the end, each with whether to await what it gives."""

    def __init__(self):
        self._exits = []

    def enter_context(self, manager):
        kind = type(manager)
        result = kind.__enter__(manager)
        self._exits.append((False, lambda *details: kind.__exit__(manager, *details)))
        return result

    def _push(self, waits, name, exit):
        leave = exit
        if hasattr(type(exit), name):
            leave = lambda *details: getattr(type(exit), name)(exit, *details)
        self._exits.append((waits, leave))
        return exit

    def push(self, exit):
        return self._push(False, "__exit__", exit)

    def callback(self, function, /, *args, **kwargs):
        def call(*details):
            function(*args, **kwargs)
        self._exits.append((False, call))
        return function

    def pop_all(self):
        other = type(self)()
        other._exits = self._exits
        self._exits = []
        return other


def _details(pending):
    return (None, None, None) if pending is None else (type(pending), pending, pending.__traceback__)


class ExitStack(_Exits):
    def close(self):
        self.__exit__(None, None, None)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        pending = value
        while self._exits:
            _, leave = self._exits.pop()
            try:
                if leave(*_details(pending)):
                    pending = None
            except BaseException as error:
                pending = error
        if pending is not None and pending is not value:
            raise pending
        return value is not None and pending is None


class AsyncExitStack(_Exits):
    """ExitStack for both kinds of managers and callbacks."""

    async def enter_async_context(self, manager):
        kind = type(manager)
        result = await kind.__aenter__(manager)
        self._exits.append((True, lambda *details: kind.__aexit__(manager, *details)))
        return result

    def push_async_exit(self, exit):
        return self._push(True, "__aexit__", exit)

    def push_async_callback(self, function, /, *args, **kwargs):
        async def call(*details):
            await function(*args, **kwargs)
        self._exits.append((True, call))
        return function

    async def aclose(self):
        await self.__aexit__(None, None, None)

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, value, traceback):
        pending = value
        while self._exits:
            waits, leave = self._exits.pop()
            try:
                done = leave(*_details(pending))
                if waits:
                    done = await done
                if done:
                    pending = None
            except BaseException as error:
                pending = error
        if pending is not None and pending is not value:
            raise pending
        return value is not None and pending is None
