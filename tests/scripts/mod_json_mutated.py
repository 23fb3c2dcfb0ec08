# Module json: documents with a few characters changed give the same values, texts and errors.
import json
import random

LETTERS = '{}[]",:\\/ \n\t0123456789.-+eEtrufalsn"ué😀x'
DOCUMENTS = ['{"a":[1,2.5,null,true,false,"\\u00e9\\n\\ud83d\\ude00"],"b":{}}', '[1e5,-0,-1.5E-3,NaN,Infinity]',
             '"abc\\tdef"', '[[],[[]],{"k":{"k":[]}}]', '{"é":"😀"}']


def changed(random, text):
    parts = list(text)
    for _ in range(random.randint(0, 3)):
        at = random.randrange(len(parts) + 1)
        what = random.randint(0, 2)
        if what == 0:
            parts.insert(at, random.choice(LETTERS))
        elif at < len(parts):
            parts[at:at + 1] = [] if what == 1 else [random.choice(LETTERS)]
    return "".join(parts)


def outcome(text):
    try:
        value = json.loads(text)
    except ValueError as e:
        return str(e)
    return "%r %s %s" % (value, json.dumps(value), json.dumps(value, ensure_ascii=False, separators=(",", ":")))


source = random.Random(7)
sum_of_all = 0
for i in range(1500):
    result = outcome(changed(source, source.choice(DOCUMENTS)))
    if i % 50 == 0:
        print(ascii(result))
    for c in result:
        sum_of_all = (sum_of_all * 31 + ord(c)) % (2**61 - 1)
print(sum_of_all)
