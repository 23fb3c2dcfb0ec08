# args: 1
"""Text work: split, strip, lower, count in dicts, join, sort, f-strings."""
import sys
from random import Random


def text(random, n):
    syllables = ["ka", "lo", "mi", "ter", "an", "so", "ri", "den", "pa", "u"]
    words = ["".join(random.choice(syllables) for _ in range(random.randint(1, 4)))
             for _ in range(2000)]
    lines = []
    for _ in range(n):
        line = " ".join(random.choice(words) for _ in range(8))
        lines.append("  " + line.capitalize() + ". \n")
    return "".join(lines)


def main(scale):
    body = text(Random(3), 2000 * scale)
    counts = {}
    for line in body.split("\n"):
        for word in line.strip().rstrip(".").lower().split():
            counts[word] = counts.get(word, 0) + 1
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    out = [f"{word:>12} {n:6d} {n / len(ranked):.3f}" for word, n in ranked]
    page = "\n".join(out)
    for _ in range(scale):
        page = page.replace("ka", "KA").replace("KA", "ka")
    letters = {}
    for c in page:
        letters[c] = letters.get(c, 0) + 1
    print(len(page), ranked[0], letters["k"])


main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
