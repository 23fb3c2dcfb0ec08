"""Takes a program, or its output, out of a page.

extract_code.py PAGE KIND NAME prints the fenced blocks that follow "<!-- KIND: NAME -->"
lines, one after the other; KIND is "file" or "output". No such block is an error.
"""

import sys


def blocks(text, marker):
    lines = iter(text.split("\n"))
    for line in lines:
        if line.strip() != marker:
            continue
        if not next(lines, "").startswith("```"):
            sys.exit("no fenced block follows %s" % marker)
        block = []
        for inner in lines:
            if inner.startswith("```"):
                break
            block.append(inner)
        yield "\n".join(block) + "\n"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    page, kind, name = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        found = list(blocks(file.read(), "<!-- %s: %s -->" % (kind, name)))
    if not found:
        sys.exit("%s has no %s of %s" % (page, kind, name))
    # Blocks of a program are apart as they are on the page.
    sys.stdout.write("\n".join(found))


if __name__ == "__main__":
    main()
