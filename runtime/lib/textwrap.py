"""Filling, indenting and shortening text; words are what stands between white space and after hyphens."""

_WHITE = "\t\n\x0b\x0c\r "


def _split_hyphens(word):
    """Pieces of a word that may be broken after hyphens between letters, and at dashes."""
    parts = []
    start = i = 0
    n = len(word)
    while i < n:
        if word[i] != "-":
            i += 1
            continue
        j = i
        while j < n and word[j] == "-":
            j += 1
        before, after = word[start:i], word[j:]
        if j - i >= 2:
            if before and after and (before[-1].isalnum() or before[-1] in "_!\"'&.,?") and (after[0].isalnum() or after[0] == "_"):
                parts += [before, word[i:j]]
                start = j
        elif len(before) >= 2 and before[-1].isalpha() and before[-2].isalpha() and len(after) >= 2 and after[0].isalpha() and after[1].isalpha():
            parts.append(word[start:j])
            start = j
        i = j
    if start < n:
        parts.append(word[start:])
    return parts


class TextWrapper:
    def __init__(self, width=70, initial_indent="", subsequent_indent="", expand_tabs=True, replace_whitespace=True,
                 fix_sentence_endings=False, break_long_words=True, drop_whitespace=True, break_on_hyphens=True,
                 tabsize=8, *, max_lines=None, placeholder=" [...]"):
        self.width = width
        self.initial_indent = initial_indent
        self.subsequent_indent = subsequent_indent
        self.expand_tabs = expand_tabs
        self.replace_whitespace = replace_whitespace
        self.fix_sentence_endings = fix_sentence_endings
        self.break_long_words = break_long_words
        self.drop_whitespace = drop_whitespace
        self.break_on_hyphens = break_on_hyphens
        self.tabsize = tabsize
        self.max_lines = max_lines
        self.placeholder = placeholder

    def _chunks(self, text):
        if self.expand_tabs:
            text = text.expandtabs(self.tabsize)
        if self.replace_whitespace:
            text = "".join([" " if c in _WHITE else c for c in text])
        chunks = []
        i, n = 0, len(text)
        while i < n:
            j = i
            white = text[i] in _WHITE
            while j < n and (text[j] in _WHITE) == white:
                j += 1
            if white or not self.break_on_hyphens:
                chunks.append(text[i:j])
            else:
                chunks += _split_hyphens(text[i:j])
            i = j
        if self.fix_sentence_endings:
            for k in range(len(chunks) - 1):
                end = chunks[k].rstrip("\"'")
                if chunks[k + 1] == " " and len(end) > 1 and end[-1] in ".!?" and end[-2].islower():
                    chunks[k + 1] = "  "
        return chunks

    def wrap(self, text):
        if self.width <= 0:
            raise ValueError("invalid width %r (must be > 0)" % self.width)
        if self.max_lines is not None:
            indent = self.subsequent_indent if self.max_lines > 1 else self.initial_indent
            if len(indent) + len(self.placeholder.lstrip()) > self.width:
                raise ValueError("placeholder too large for max width")
        lines = []
        chunks = self._chunks(text)
        chunks.reverse()
        while chunks:
            indent = self.subsequent_indent if lines else self.initial_indent
            width = self.width - len(indent)
            line, length = [], 0
            if self.drop_whitespace and chunks[-1].strip() == "" and lines:
                chunks.pop()
            while chunks and length + len(chunks[-1]) <= width:
                length += len(chunks[-1])
                line.append(chunks.pop())
            if chunks and len(chunks[-1]) > width:
                self._long_word(chunks, line, length, width)
                length = sum(map(len, line))
            if self.drop_whitespace and line and line[-1].strip() == "":
                length -= len(line.pop())
            if not line:
                continue
            if (self.max_lines is None or len(lines) + 1 < self.max_lines or
                    (not chunks or self.drop_whitespace and len(chunks) == 1 and not chunks[0].strip()) and length <= width):
                lines.append(indent + "".join(line))
                continue
            while line:
                if line[-1].strip() and length + len(self.placeholder) <= width:
                    line.append(self.placeholder)
                    lines.append(indent + "".join(line))
                    break
                length -= len(line.pop())
            else:
                if lines:
                    before = lines[-1].rstrip()
                    if len(before) + len(self.placeholder) <= self.width:
                        lines[-1] = before + self.placeholder
                        break
                lines.append(indent + self.placeholder.lstrip())
            break
        return lines

    def _long_word(self, chunks, line, length, width):
        left = 1 if width < 1 else width - length
        if self.break_long_words:
            chunk = chunks[-1]
            end = left
            if self.break_on_hyphens and len(chunk) > left:
                hyphen = chunk.rfind("-", 0, left)
                if hyphen > 0 and any(c != "-" for c in chunk[:hyphen]):
                    end = hyphen + 1
            line.append(chunk[:end])
            chunks[-1] = chunk[end:]
        elif not line:
            line.append(chunks.pop())

    def fill(self, text):
        return "\n".join(self.wrap(text))


def wrap(text, width=70, **kwargs):
    return TextWrapper(width=width, **kwargs).wrap(text)


def fill(text, width=70, **kwargs):
    return TextWrapper(width=width, **kwargs).fill(text)


def shorten(text, width, **kwargs):
    return TextWrapper(width=width, max_lines=1, **kwargs).fill(" ".join(text.strip().split()))


def dedent(text):
    lines = ["" if not line.strip(" \t") else line for line in text.split("\n")]
    margin = None
    for line in lines:
        if not line:
            continue
        indent = line[:len(line) - len(line.lstrip(" \t"))]
        if margin is None:
            margin = indent
        elif not indent.startswith(margin):
            n = 0
            while n < min(len(margin), len(indent)) and margin[n] == indent[n]:
                n += 1
            margin = margin[:n]
    if margin:
        lines = [line[len(margin):] for line in lines]
    return "\n".join(lines)


def indent(text, prefix, predicate=None):
    if predicate is None:
        predicate = str.strip
    return "".join([prefix + line if predicate(line) else line for line in text.splitlines(True)])
