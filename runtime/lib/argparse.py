"""Command lines: options and positional arguments, help and errors as CPython prints them.

Known: store, store_true, store_false, store_const, append, count, version, help; type,
default, const, choices, nargs (an int, "?", "*", "+"), required, metavar, dest, help.
Not known: subcommands and options from files.
"""

import os
import sys

SUPPRESS = "==SUPPRESS=="
REMAINDER = "..."
OPTIONAL = "?"
ZERO_OR_MORE = "*"
ONE_OR_MORE = "+"


class ArgumentError(Exception):
    def __init__(self, argument, message):
        self.argument_name = None if argument is None else argument._label()
        self.message = message

    def __str__(self):
        if self.argument_name is None:
            return self.message
        return "argument %s: %s" % (self.argument_name, self.message)


class ArgumentTypeError(Exception):
    pass


class Namespace:
    def __init__(self, **kwargs):
        for name in kwargs:
            setattr(self, name, kwargs[name])

    def __repr__(self):
        return "Namespace(%s)" % ", ".join(["%s=%r" % item for item in vars(self).items()])

    def __eq__(self, other):
        if not isinstance(other, Namespace):
            return NotImplemented
        return vars(self) == vars(other)

    def __contains__(self, key):
        return key in vars(self)


class Action:
    """One option or positional argument."""

    def __init__(self, flags, dest, action="store", nargs=None, const=None, default=None,
                 type=None, choices=None, required=False, help=None, metavar=None, version=None):
        self.option_strings = flags
        self.dest = dest
        self.action = action
        self.nargs = nargs
        self.const = const
        self.default = default
        self.type = type
        self.choices = choices
        self.required = required
        self.help = help
        self.metavar = metavar
        self.version = version
        self.container = None

    def _takes_value(self):
        return self.action == "store" or self.action == "append"

    def _label(self):
        if self.option_strings:
            return "/".join(self.option_strings)
        if self.metavar is not None and self.metavar != SUPPRESS:
            return self.metavar
        return self.dest

    def _metavar(self):
        if self.metavar is not None:
            return self.metavar
        if self.choices is not None:
            return "{%s}" % ",".join([str(choice) for choice in self.choices])
        return self.dest.upper() if self.option_strings else self.dest

    def _arguments(self):
        """How the values look in the usage line."""
        name = self._metavar()
        if self.nargs is None:
            return name
        if self.nargs == OPTIONAL:
            return "[%s]" % name
        if self.nargs == ZERO_OR_MORE:
            return "[%s ...]" % name
        if self.nargs == ONE_OR_MORE:
            return "%s [%s ...]" % (name, name)
        if self.nargs == REMAINDER:
            return "..."
        return " ".join([name] * self.nargs)


class _Group:
    def __init__(self, parser, title, description=None, exclusive=False, required=False):
        self._parser = parser
        self.title = title
        self.description = description
        self._exclusive = exclusive
        self.required = required
        self._members = []

    def add_argument(self, *flags, **kwargs):
        action = self._parser._make(flags, kwargs)
        if self._exclusive:
            self._parser._options.append(action)
        self._members.append(action)
        return action

    def add_mutually_exclusive_group(self, required=False):
        return self._parser.add_mutually_exclusive_group(required=required)


class HelpFormatter:
    pass


class RawDescriptionHelpFormatter(HelpFormatter):
    pass


class RawTextHelpFormatter(RawDescriptionHelpFormatter):
    pass


class ArgumentDefaultsHelpFormatter(HelpFormatter):
    pass


def _wrap(text, width):
    lines = []
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        elif line:
            line = line + " " + word
        else:
            line = word
    if line:
        lines.append(line)
    return lines


class ArgumentParser:
    def __init__(self, prog=None, usage=None, description=None, epilog=None,
                 formatter_class=HelpFormatter, add_help=True, allow_abbrev=True,
                 conflict_handler="error", exit_on_error=True, parents=(),
                 prefix_chars="-", fromfile_prefix_chars=None, argument_default=None):
        self.prog = os.path.basename(sys.argv[0]) if prog is None else prog
        self.usage = usage
        self.description = description
        self.epilog = epilog
        self.formatter_class = formatter_class
        self.allow_abbrev = allow_abbrev
        self.exit_on_error = exit_on_error
        self._options = []          # in the order of add_argument, positional ones too
        self._groups = []
        self._defaults = {}
        self._by_flag = {}
        if add_help:
            self.add_argument("-h", "--help", action="help",
                              help="show this help message and exit")
        for parent in parents:
            self._options.extend([a for a in parent._options if a.action != "help"])
            for flag, action in parent._by_flag.items():
                self._by_flag.setdefault(flag, action)

    # What can be given

    def _make(self, flags, kwargs):
        kwargs = dict(kwargs)
        action = kwargs.pop("action", "store")
        dest = kwargs.pop("dest", None)
        named = bool(flags) and flags[0].startswith("-")
        if named:
            if dest is None:
                longs = [flag for flag in flags if flag.startswith("--")]
                dest = (longs[0] if longs else flags[0]).lstrip("-").replace("-", "_")
            flags = list(flags)
        else:
            if flags:
                dest = flags[0]
            flags = []
        if action == "store_true":
            kwargs.setdefault("default", False)
            kwargs["const"] = True
        elif action == "store_false":
            kwargs.setdefault("default", True)
            kwargs["const"] = False
        elif action == "help" or action == "version":
            dest = SUPPRESS
            if action == "version":
                kwargs.setdefault("help", "show program's version number and exit")
        elif action not in ("store", "store_const", "append", "append_const", "count"):
            raise ValueError("unknown action \"%s\"" % action)
        if action == "append_const" or action == "store_const":
            kwargs.setdefault("const", None)
        kind = kwargs.get("type")
        if kind is not None and not callable(kind):
            raise ValueError("%r is not callable" % (kind,))
        if not named and "required" not in kwargs:
            kwargs["required"] = kwargs.get("nargs") not in (OPTIONAL, ZERO_OR_MORE, REMAINDER)
        made = Action(flags, dest, action, **kwargs)
        for flag in flags:
            if flag in self._by_flag:
                raise ArgumentError(made, "conflicting option string: %s" % flag)
            self._by_flag[flag] = made
        return made

    def add_argument(self, *flags, **kwargs):
        made = self._make(flags, kwargs)
        self._options.append(made)
        return made

    def add_argument_group(self, title=None, description=None):
        group = _Group(self, title, description)
        self._groups.append(group)
        return group

    def add_mutually_exclusive_group(self, required=False):
        group = _Group(self, None, exclusive=True, required=required)
        self._groups.append(group)
        return group

    def set_defaults(self, **kwargs):
        self._defaults.update(kwargs)

    def get_default(self, dest):
        if dest in self._defaults:
            return self._defaults[dest]
        for action in self._all():
            if action.dest == dest:
                return action.default
        return None

    def _all(self):
        actions = list(self._options)
        for group in self._groups:
            if not group._exclusive:
                actions.extend(group._members)
        return actions

    # Parsing

    def parse_args(self, args=None, namespace=None):
        namespace, extras = self.parse_known_args(args, namespace)
        if extras:
            self.error("unrecognized arguments: %s" % " ".join(extras))
        return namespace

    def parse_known_args(self, args=None, namespace=None):
        args = sys.argv[1:] if args is None else list(args)
        if namespace is None:
            namespace = Namespace()
        for action in self._all():
            if action.dest != SUPPRESS and action.default != SUPPRESS:
                if not hasattr(namespace, action.dest):
                    setattr(namespace, action.dest, action.default)
        for name, value in self._defaults.items():
            setattr(namespace, name, value)
        try:
            extras = self._parse(args, namespace)
        except ArgumentError as error:
            if not self.exit_on_error:
                raise
            self.error(str(error))
        return namespace, extras

    def _find(self, arg):
        """(action, flag, value given with it or None), or None if arg is no option."""
        if not arg.startswith("-") or arg == "-":
            return None
        if arg in self._by_flag:
            return self._by_flag[arg], arg, None
        flag, equals, value = arg.partition("=")
        if equals and flag in self._by_flag:
            return self._by_flag[flag], flag, value
        if arg.startswith("--"):
            if self.allow_abbrev:
                matches = [name for name in self._by_flag if name.startswith(flag)]
                if len(matches) > 1:
                    raise ArgumentError(None, "ambiguous option: %s could match %s"
                                        % (arg, ", ".join(matches)))
                if matches:
                    return self._by_flag[matches[0]], matches[0], value if equals else None
        elif arg[:2] in self._by_flag:
            return self._by_flag[arg[:2]], arg[:2], arg[2:]
        if self._is_number(arg) and not any(self._is_number(f) for f in self._by_flag):
            return None
        if " " in arg:
            return None
        return None, arg, None

    def _is_number(self, text):
        try:
            float(text)
        except ValueError:
            return False
        return True

    def _parse(self, args, namespace):
        actions = self._all()
        positionals = [action for action in actions if not action.option_strings]
        seen = set()
        extras = []
        i = 0
        literal = False
        pending = []
        while i < len(args):
            arg = args[i]
            if arg == "--" and not literal:
                literal = True
                i += 1
                continue
            found = None if literal else self._find(arg)
            if found is None:
                pending.append(arg)
                i += 1
                continue
            action, flag, value = found
            positionals = self._consume(positionals, pending, namespace, seen, False)
            if action is None:
                extras.append(arg)
                i += 1
                continue
            i += 1
            i = self._option(action, flag, value, args, i, namespace, seen)
        positionals = self._consume(positionals, pending, namespace, seen, True)
        extras.extend(pending)
        missing = []
        for action in actions:
            if action in seen:
                continue
            if action.required:
                missing.append(action._label())
            elif isinstance(action.default, str) and action.dest != SUPPRESS:
                if getattr(namespace, action.dest, None) is action.default:
                    setattr(namespace, action.dest, self._value(action, action.default))
        if missing:
            self.error("the following arguments are required: %s" % ", ".join(missing))
        for group in self._groups:
            if group._exclusive:
                given = [a for a in group._members if a in seen]
                if len(given) > 1:
                    raise ArgumentError(given[1], "not allowed with argument %s"
                                        % given[0]._label())
                if group.required and not given:
                    self.error("one of the arguments %s is required"
                               % " ".join([a._label() for a in group._members]))
        return extras

    def _is_value(self, arg):
        return arg != "--" and self._find(arg) is None

    def _option(self, action, flag, value, args, i, namespace, seen):
        seen.add(action)
        if not action._takes_value():
            # -vv: several short flags in one
            while value is not None and value and not flag.startswith("--"):
                self._act(action, None, namespace)
                flag = "-" + value[0]
                value = value[1:]
                if flag not in self._by_flag:
                    raise ArgumentError(action, "ignored explicit argument %r" % (flag[1:] + value))
                action = self._by_flag[flag]
                seen.add(action)
                if action._takes_value():
                    return self._option(action, flag, value or None, args, i, namespace, seen)
            if value:
                raise ArgumentError(action, "ignored explicit argument %r" % value)
            self._act(action, None, namespace)
            return i
        nargs = action.nargs
        if value is not None:
            if nargs is None or nargs == OPTIONAL:
                self._act(action, self._value(action, value), namespace)
            elif nargs == 1 or nargs == ZERO_OR_MORE or nargs == ONE_OR_MORE:
                self._act(action, [self._value(action, value)], namespace)
            else:
                raise ArgumentError(action, "expected %s argument%s"
                                    % (nargs, "" if nargs == 1 else "s"))
            return i
        given = []
        most = 1 if nargs is None or nargs == OPTIONAL else len(args)
        if isinstance(nargs, int):
            most = nargs
        while len(given) < most and i < len(args):
            if nargs != REMAINDER and not self._is_value(args[i]):
                break
            given.append(args[i])
            i += 1
        if nargs is None:
            if not given:
                raise ArgumentError(action, "expected one argument")
            self._act(action, self._value(action, given[0]), namespace)
        elif nargs == OPTIONAL:
            if given:
                self._act(action, self._value(action, given[0]), namespace)
            else:
                self._act(action, action.const, namespace)
        else:
            if nargs == ONE_OR_MORE and not given:
                raise ArgumentError(action, "expected at least one argument")
            if isinstance(nargs, int) and len(given) < nargs:
                raise ArgumentError(action, "expected %d argument%s"
                                    % (nargs, "" if nargs == 1 else "s"))
            self._act(action, [self._value(action, text) for text in given], namespace)
        return i

    def _consume(self, positionals, pending, namespace, seen, last):
        """Gives the waiting arguments to the positional actions that they satisfy."""
        while positionals:
            if not pending and not last:
                break
            action = positionals[0]
            nargs = action.nargs
            later = 0
            for other in positionals[1:]:
                if other.nargs is None or other.nargs == ONE_OR_MORE:
                    later += 1
                elif isinstance(other.nargs, int):
                    later += other.nargs
            free = max(len(pending) - later, 0)
            if nargs is None:
                if not pending:
                    break
                self._act(action, self._value(action, pending.pop(0)), namespace)
            elif isinstance(nargs, int):
                if len(pending) < nargs:
                    break
                values = [self._value(action, pending.pop(0)) for _ in range(nargs)]
                self._act(action, values, namespace)
            elif nargs == OPTIONAL:
                if free:
                    self._act(action, self._value(action, pending.pop(0)), namespace)
                elif not last and not pending:
                    break
                else:
                    default = action.default
                    if isinstance(default, str):
                        default = self._value(action, default)
                    self._act(action, default, namespace)
            else:
                if nargs == ONE_OR_MORE and not free:
                    break
                values = [self._value(action, pending.pop(0)) for _ in range(free)]
                if not values and nargs == ZERO_OR_MORE:
                    self._act(action, [] if action.default is None else action.default, namespace)
                else:
                    self._act(action, values, namespace)
            seen.add(action)
            positionals = positionals[1:]
        return positionals

    def _value(self, action, text):
        kind = action.type
        value = text
        if kind is not None:
            try:
                value = kind(text)
            except ArgumentTypeError as error:
                raise ArgumentError(action, str(error))
            except (TypeError, ValueError):
                name = getattr(kind, "__name__", repr(kind))
                raise ArgumentError(action, "invalid %s value: %r" % (name, text))
        if action.choices is not None and value not in action.choices:
            raise ArgumentError(action, "invalid choice: %r (choose from %s)"
                                % (value, ", ".join([repr(c) for c in action.choices])))
        return value

    def _act(self, action, value, namespace):
        kind = action.action
        if kind == "help":
            self.print_help()
            self.exit()
        elif kind == "version":
            self._write(action.version.replace("%(prog)s", self.prog) + "\n", sys.stdout)
            self.exit()
        elif kind == "store":
            setattr(namespace, action.dest, value)
        elif kind == "count":
            setattr(namespace, action.dest, (getattr(namespace, action.dest, None) or 0) + 1)
        elif kind == "append" or kind == "append_const":
            items = list(getattr(namespace, action.dest, None) or [])
            items.append(action.const if kind == "append_const" else value)
            setattr(namespace, action.dest, items)
        else:
            setattr(namespace, action.dest, action.const)

    # What is printed

    def _usage_parts(self):
        options = []
        positionals = []
        for action in self._all():
            if action.help == SUPPRESS:
                continue
            if action.option_strings:
                text = action.option_strings[0]
                if action._takes_value():
                    text += " " + action._arguments()
                options.append(text if action.required else "[%s]" % text)
            else:
                positionals.append(action._arguments())
        return options, positionals

    def format_usage(self):
        if self.usage is not None:
            return "usage: %s\n" % self.usage.replace("%(prog)s", self.prog)
        options, positionals = self._usage_parts()
        width = self._width()
        line = " ".join([self.prog] + options + positionals)
        if len(line) + 7 <= width:
            return "usage: %s\n" % line
        indent = " " * (len(self.prog) + 8)
        lines = []
        for parts in (options, positionals):
            current = ""
            for part in parts:
                if current and len(indent) + len(current) + 1 + len(part) - 1 >= width:
                    lines.append(current)
                    current = part
                else:
                    current = current + " " + part if current else part
            if current:
                lines.append(current)
        return "usage: %s %s\n" % (self.prog, ("\n" + indent).join(lines))

    def _width(self):
        columns = os.environ.get("COLUMNS")
        if columns is not None and columns.isdigit() and int(columns) > 0:
            return int(columns) - 2
        return 78

    def _invocation(self, action):
        if not action.option_strings:
            return action._metavar()
        if not action._takes_value():
            return ", ".join(action.option_strings)
        values = action._arguments()
        return ", ".join(["%s %s" % (flag, values) for flag in action.option_strings])

    def _help_text(self, action):
        text = action.help
        if "%(default)s" in text:
            text = text.replace("%(default)s", str(action.default))
        text = text.replace("%(prog)s", self.prog).replace("%(dest)s", str(action.dest))
        if action.choices is not None:
            text = text.replace("%(choices)s", ", ".join([str(c) for c in action.choices]))
        text = text.replace("%%", "%")
        if self.formatter_class is ArgumentDefaultsHelpFormatter and action._takes_value():
            if "default" not in action.help and action.default is not None:
                text += " (default: %s)" % (action.default,)
        return text

    def format_help(self):
        width = self._width()
        sections = [("positional arguments", [a for a in self._options if not a.option_strings]),
                    ("options", [a for a in self._options if a.option_strings])]
        for group in self._groups:
            if not group._exclusive:
                sections.append((group.title, group._members))
        longest = 0
        for _, actions in sections:
            for action in actions:
                if action.help != SUPPRESS:
                    longest = max(longest, len(self._invocation(action)) + 2)
        column = min(longest + 2, 24)
        parts = [self.format_usage()]
        if self.description:
            parts.append("\n" + self._paragraph(self.description, width))
        for title, actions in sections:
            actions = [action for action in actions if action.help != SUPPRESS]
            if not actions:
                continue
            parts.append("\n%s:\n" % title)
            for action in actions:
                name = "  " + self._invocation(action)
                if not action.help:
                    parts.append(name + "\n")
                    continue
                lines = _wrap(self._help_text(action), max(width - column, 11))
                if len(name) + 2 <= column:
                    parts.append(name + " " * (column - len(name)) + lines[0] + "\n")
                    lines = lines[1:]
                else:
                    parts.append(name + "\n")
                for line in lines:
                    parts.append(" " * column + line + "\n")
        if self.epilog:
            parts.append("\n" + self._paragraph(self.epilog, width))
        return "".join(parts)

    def _paragraph(self, text, width):
        text = text.replace("%(prog)s", self.prog)
        if self.formatter_class in (RawDescriptionHelpFormatter, RawTextHelpFormatter):
            return text.strip("\n") + "\n"
        return "\n".join(_wrap(text, width)) + "\n"

    def _write(self, text, file):
        file.write(text)

    def print_usage(self, file=None):
        self._write(self.format_usage(), sys.stdout if file is None else file)

    def print_help(self, file=None):
        self._write(self.format_help(), sys.stdout if file is None else file)

    def exit(self, status=0, message=None):
        if message:
            self._write(message, sys.stderr)
        sys.exit(status)

    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(2, "%s: error: %s\n" % (self.prog, message))
