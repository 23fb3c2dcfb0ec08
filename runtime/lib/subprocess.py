"""Runs a program and waits for it."""

from _os import _spawn

PIPE = -1
STDOUT = -2
DEVNULL = -3


class SubprocessError(Exception):
    pass


class CalledProcessError(SubprocessError):
    def __init__(self, returncode, cmd, output=None, stderr=None):
        self.returncode = returncode
        self.cmd = cmd
        self.output = output
        self.stdout = output
        self.stderr = stderr

    def __str__(self):
        if self.returncode < 0:
            return "Command '%s' died with signal %d." % (self.cmd, -self.returncode)
        return "Command '%s' returned non-zero exit status %d." % (self.cmd, self.returncode)


class TimeoutExpired(SubprocessError):
    def __init__(self, cmd, timeout, output=None, stderr=None):
        self.cmd = cmd
        self.timeout = timeout
        self.output = output
        self.stdout = output
        self.stderr = stderr

    def __str__(self):
        return "Command '%s' timed out after %s seconds" % (self.cmd, self.timeout)


class CompletedProcess:
    def __init__(self, args, returncode, stdout=None, stderr=None):
        self.args = args
        self.returncode = returncode
        self.stdout = stdout
        self.stderr = stderr

    def check_returncode(self):
        if self.returncode:
            raise CalledProcessError(self.returncode, self.args, self.stdout, self.stderr)

    def __repr__(self):
        text = "CompletedProcess(args=%r, returncode=%r" % (self.args, self.returncode)
        if self.stdout is not None:
            text += ", stdout=%r" % (self.stdout,)
        if self.stderr is not None:
            text += ", stderr=%r" % (self.stderr,)
        return text + ")"


def run(args, *, input=None, capture_output=False, stdout=None, stderr=None, text=False,
        universal_newlines=False, encoding=None, check=False, timeout=None, env=None, cwd=None):
    if capture_output:
        if stdout is not None or stderr is not None:
            raise ValueError("stdout and stderr arguments may not be used with capture_output.")
        stdout = stderr = PIPE
    text = text or universal_newlines or encoding is not None
    argv = [args] if isinstance(args, str) else [str(arg) for arg in args]
    if isinstance(input, str):
        input = input.encode()
    variables = None if env is None else ["%s=%s" % item for item in env.items()]
    status, out, err = _spawn(argv, input, stdout or 0, stderr or 0,
                              -1.0 if timeout is None else timeout, variables, cwd)
    if text:
        out = None if out is None else out.decode()
        err = None if err is None else err.decode()
    if status is None:
        raise TimeoutExpired(args, timeout, out, err)
    done = CompletedProcess(args, status, out, err)
    if check:
        done.check_returncode()
    return done


def check_output(args, **kwargs):
    return run(args, stdout=PIPE, check=True, **kwargs).stdout


def call(args, **kwargs):
    return run(args, **kwargs).returncode


def check_call(args, **kwargs):
    run(args, check=True, **kwargs)
    return 0
