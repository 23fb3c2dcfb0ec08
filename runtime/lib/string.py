"""Constants of text."""

ascii_lowercase = "abcdefghijklmnopqrstuvwxyz"
ascii_uppercase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ascii_letters = ascii_lowercase + ascii_uppercase
digits = "0123456789"
hexdigits = digits + "abcdef" + "ABCDEF"
octdigits = "01234567"
punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
whitespace = " \t\n\r\v\f"
printable = digits + ascii_letters + punctuation + whitespace


def capwords(s, sep=None):
    return (sep or " ").join([word.capitalize() for word in s.split(sep)])


class Template:
    """Texts with $name and ${name}."""

    delimiter = "$"

    def __init__(self, template):
        self.template = template

    def _parts(self):
        """Texts, and names as (name, text as written)."""
        text = self.template
        mark = self.delimiter
        i = 0
        while True:
            at = text.find(mark, i)
            if at < 0:
                yield text[i:]
                return
            yield text[i:at]
            i = at + len(mark)
            if text.startswith(mark, i):
                yield mark
                i += len(mark)
                continue
            braced = text.startswith("{", i)
            end = i + braced
            while end < len(text) and text[end].isascii() and (text[end].isalnum() or text[end] == "_"):
                end += 1
            name = text[i + braced:end]
            if not name.isidentifier() or braced and not text.startswith("}", end):
                line = text.count("\n", 0, at) + 1
                column = at - (text.rfind("\n", 0, at) + 1) + 1
                yield (None, text[at:i], line, column)
                continue
            i = end + braced
            yield (name, text[at:i], 0, 0)

    def substitute(self, mapping={}, /, **kws):
        out = []
        for part in self._parts():
            if isinstance(part, str):
                out.append(part)
            elif part[0] is None:
                raise ValueError("Invalid placeholder in string: line %d, col %d" % part[2:])
            else:
                out.append(str(kws[part[0]] if part[0] in kws else mapping[part[0]]))
        return "".join(out)

    def safe_substitute(self, mapping={}, /, **kws):
        out = []
        for part in self._parts():
            if isinstance(part, str):
                out.append(part)
            elif part[0] is not None and part[0] in kws:
                out.append(str(kws[part[0]]))
            elif part[0] is not None and part[0] in mapping:
                out.append(str(mapping[part[0]]))
            else:
                out.append(part[1])
        return "".join(out)

    def is_valid(self):
        return all([isinstance(part, str) or part[0] is not None for part in self._parts()])

    def get_identifiers(self):
        names = []
        for part in self._parts():
            if not isinstance(part, str) and part[0] is not None and part[0] not in names:
                names.append(part[0])
        return names


class Formatter:
    """str.format with a method to override for keys that are missing."""

    def format(self, format_string, /, *args, **kwargs):
        return self.vformat(format_string, args, kwargs)

    def vformat(self, format_string, args, kwargs):
        return format_string.format(*args, **kwargs)
