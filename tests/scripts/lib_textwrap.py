# Module textwrap.
import textwrap

TEXT = """The quick brown fox jumps over the lazy dog; a well-known pangram, which is used-up -- and
long-windedly-hyphenated.  It ends here. \t Tabs\ttoo, and averyveryverylongwordthatdoesnotfitanywhere at all."""
for width in (10, 20, 40, 70):
    for line in textwrap.wrap(TEXT, width):
        print(repr(line))
print(textwrap.fill(TEXT, 30, initial_indent="* ", subsequent_indent="  "))
print(textwrap.fill(TEXT, 24, break_long_words=False, break_on_hyphens=False))
print(textwrap.wrap("one two  three", 5, drop_whitespace=False))
print(textwrap.wrap("Sentence one. Sentence two.", 40, fix_sentence_endings=True))
print(textwrap.wrap("a b c d e f g", 5, max_lines=2), textwrap.wrap("", 5), textwrap.wrap("   ", 5))
print(textwrap.shorten("Hello  world and others", 15), textwrap.shorten("Hello world", 12), textwrap.shorten("Hello", 3, placeholder="."))
print(repr(textwrap.dedent("""
    a
      b

    c
   \t
""")))
print(repr(textwrap.dedent("  a\n\tb\n")), repr(textwrap.dedent("   x\n  y")))
print(repr(textwrap.indent("a\n\nb\n  \nc", "> ")))
print(repr(textwrap.indent("a\n\nb", "> ", lambda line: True)))
try:
    textwrap.wrap("a", 0)
except ValueError as e:
    print(e)
try:
    textwrap.wrap("a", 3, max_lines=1)
except ValueError as e:
    print(e)
