# json.
import io
import json

values = [None, True, False, 0, -5, 10**20, 1.5, 1e300, -0.0, "text", "q\"\\/\b\f\n\r\t\x01\x7f", "\u00e9\u2603\U0001f600", [], {}, [1, [2, []]],
          {"a": 1, "b": [True, None]}, (1, 2), {"x": {"y": {}}}, {1: 2, None: 3, True: 4, 1.5: 5}, float("inf"), float("nan")]
for v in values:
    text = json.dumps(v)
    print(text, repr(json.loads(text)))
print(json.dumps({"b": [1, {"c": 2}], "a": []}, indent=2, sort_keys=True))
print(json.dumps([1, {"a": 2}], separators=(",", ":")), json.dumps("\u00e9", ensure_ascii=False), json.dumps([[]], indent=1))
print(json.loads(' { "a" : [ 1 , 2.5e3 , -0 , "\\u00e9\\ud83d\\ude00" ] , "b" : null } '), json.loads(b"[1]"), json.loads("1E2"))
print(json.loads('{"a": 1}', object_hook=lambda d: sorted(d.items())), json.loads('{"a": 1, "a": 2}', object_pairs_hook=list), json.loads("1.5", parse_float=str))


class Thing:
    pass


print(json.dumps([Thing()], default=lambda o: "thing"), json.dumps({(1, 2): 3}, skipkeys=True))
loop = []
loop.append(loop)
for call in (lambda: json.dumps(Thing()), lambda: json.dumps(loop), lambda: json.dumps({(1,): 2}), lambda: json.dumps(float("nan"), allow_nan=False)):
    try:
        call()
    except (TypeError, ValueError) as error:
        print(type(error).__name__ + ":", error)
for text in ("", "[1,", "[1 2]", "{\"a\" 1}", "{a: 1}", "nul", "\"abc", "\"\\x\"", "\"\\u12\"", "[1] x", "{\"a\":1,}", "01", "\"a\nb\"", "-", "[,]"):
    try:
        print(json.loads(text))
    except json.JSONDecodeError as error:
        print("JSONDecodeError:", error)
out = io.StringIO()
json.dump([1, "a"], out)
print(out.getvalue(), json.load(io.StringIO("[2]")))
