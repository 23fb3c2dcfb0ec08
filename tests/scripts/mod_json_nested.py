# json and what lies in itself, or deep in something.
import json


def kind(call, *args):
    try:
        return len(call(*args))
    except (ValueError, RecursionError) as e:
        return type(e).__name__ + (": " + str(e) if type(e) is ValueError else "")


# Long ones: nothing is walked again and again.
row = list(range(50000))
row.append(row)
print(kind(json.dumps, row))
table = {str(i): i for i in range(20000)}
table["self"] = [1, table]
print(kind(json.dumps, table))
pair = [[], {"a": 1}]
pair[0].append(pair)
print(kind(json.dumps, pair))
twice = [1, 2]
print(json.dumps([twice, twice, {"a": twice}]))  # more than once is not in itself

for depth in (10, 500, 900):
    text = "[" * depth + "]" * depth
    print(depth, json.dumps(json.loads(text)) == text)
    text = '{"a":' * depth + "1" + "}" * depth
    print(depth, json.dumps(json.loads(text), separators=(",", ":")) == text)
for text in ("[" * 100000, '{"a":' * 100000, "[" * 100000 + "]" * 100000):
    print(kind(json.loads, text))
deep = []
for _ in range(100000):
    deep = [deep]
print(kind(json.dumps, deep))
