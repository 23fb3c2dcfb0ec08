# Module pprint.
import pprint
import types
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass

pprint.pprint({"b": 1, "a": [1, 2, 3]})
data = {"name": "tide", "list": list(range(40)), "deep": {"x": ["long string number %d" % i for i in range(6)], "y": (1, 2)},
        "set": {1, 2, 3}, 3: None, "empty": [{}, [], (), ""]}
pprint.pprint(data)
pprint.pprint(data, width=40, indent=4)
pprint.pprint(data, compact=True)
pprint.pprint(data, depth=1)
pprint.pprint({"z": 1, "y": 2}, sort_dicts=False)
pprint.pp({"z": 1, "y": [list(range(20))] * 4})
print(pprint.pformat(("single",)), pprint.pformat("text " * 30))
pprint.pprint(["word " * 20, "line\nbreaks\nhere " * 8])
loop = [1]
loop.append(loop)
print(pprint.isrecursive(loop), pprint.isreadable(loop), pprint.isreadable([1, "a"]), pprint.saferepr([1, {2: 3}]))
print("Recursion on list" in pprint.pformat(loop))
pprint.pprint(OrderedDict((("key%d" % i, "value" * 4) for i in range(5))))
pprint.pprint(defaultdict(list, {"key%d" % i: ["value" * 6] for i in range(4)}))
pprint.pprint(Counter("abracadabra" * 3), width=20)
pprint.pprint(deque(["item" * 5] * 6, maxlen=9))
pprint.pprint(frozenset(range(30)))
pprint.pprint(123456789, underscore_numbers=True)


@dataclass
class Point:
    x: int
    names: list


pprint.pprint(Point(1, ["name" * 5] * 5))
pprint.pprint([Point(1, [2])])
pprint.PrettyPrinter(width=30).pprint([["a" * 10, "b" * 10], ["c" * 10]])
pprint.pprint(bytes(range(100)))
pprint.pprint([bytes(range(60)), b"abc"], width=40)
pprint.pprint(bytearray(b"some bytes " * 12))
pprint.pprint({"key": bytearray(range(50))}, width=50)
pprint.pprint(b"abcdefghij", width=5)
pprint.pprint(types.SimpleNamespace(a=1, names=["name" * 4] * 6, inner=types.SimpleNamespace(b=2)))
pprint.pprint(types.MappingProxyType({"key%d" % i: ["value" * 4] for i in range(5)}))
pprint.pprint(ChainMap({"key%d" % i: i for i in range(12)}, {"other": ["value" * 4] * 5}))


class Space(types.SimpleNamespace):
    pass


print(Space(a=1), types.SimpleNamespace(a=1))
pprint.pprint(Space(a="text " * 12, b=["item" * 8] * 3))
