# args: 1
"""A recursive-descent reader of nested data in pure Python: indexing, dicts, lists."""
import sys


def parse(s, i):
    c = s[i]
    if c == "{":
        out = {}
        i += 1
        while s[i] != "}":
            key, i = parse(s, i)
            out[key], i = parse(s, i + 1)
            if s[i] == ",":
                i += 1
        return out, i + 1
    if c == "[":
        items = []
        i += 1
        while s[i] != "]":
            item, i = parse(s, i)
            items.append(item)
            if s[i] == ",":
                i += 1
        return items, i + 1
    if c == '"':
        end = s.index('"', i + 1)
        return s[i + 1:end], end + 1
    start = i
    while s[i] in "0123456789.-":
        i += 1
    text = s[start:i]
    return (float(text) if "." in text else int(text)), i


def dump(value):
    if isinstance(value, dict):
        return "{" + ",".join('"%s":%s' % (k, dump(v)) for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join([dump(v) for v in value]) + "]"
    if isinstance(value, str):
        return '"' + value + '"'
    return repr(value)


def main(scale):
    record = {"id": 17, "name": "tidal pool", "tags": ["a", "b", "c"],
              "at": {"x": 1.5, "y": -2.25}, "rows": [[i, i * i, str(i)] for i in range(20)]}
    source = dump([dict(record, id=i) for i in range(60 * scale)])
    again = dump(parse(source, 0)[0])
    print(len(source), source == again)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
