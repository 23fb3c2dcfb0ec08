# args: 1
"""A B-tree of 200,000 records, updated and scanned: live objects, bisect, lists."""
import sys
from bisect import bisect_left
from random import Random

ORDER = 32


class Node:
    __slots__ = ("keys", "values", "children")

    def __init__(self):
        self.keys = []
        self.values = []
        self.children = None

    def get(self, key):
        node = self
        while True:
            i = bisect_left(node.keys, key)
            if i < len(node.keys) and node.keys[i] == key:
                return node.values[i]
            if node.children is None:
                return None
            node = node.children[i]

    def split(self):
        middle = len(self.keys) // 2
        right = Node()
        key, value = self.keys[middle], self.values[middle]
        right.keys, right.values = self.keys[middle + 1:], self.values[middle + 1:]
        del self.keys[middle:], self.values[middle:]
        if self.children is not None:
            right.children = self.children[middle + 1:]
            del self.children[middle + 1:]
        return key, value, right

    def put(self, key, value):
        i = bisect_left(self.keys, key)
        if i < len(self.keys) and self.keys[i] == key:
            self.values[i] = value
            return None
        if self.children is None:
            self.keys.insert(i, key)
            self.values.insert(i, value)
        else:
            grown = self.children[i].put(key, value)
            if grown is not None:
                k, v, right = grown
                self.keys.insert(i, k)
                self.values.insert(i, v)
                self.children.insert(i + 1, right)
        return self.split() if len(self.keys) > ORDER else None

    def __iter__(self):
        if self.children is None:
            yield from zip(self.keys, self.values)
        else:
            for child, key, value in zip(self.children, self.keys, self.values):
                yield from child
                yield key, value
            yield from self.children[-1]


class Tree:
    def __init__(self):
        self.root = Node()

    def __setitem__(self, key, value):
        grown = self.root.put(key, value)
        if grown is not None:
            key, value, right = grown
            root = Node()
            root.keys, root.values, root.children = [key], [value], [self.root, right]
            self.root = root

    def __getitem__(self, key):
        return self.root.get(key)


def main(scale):
    random = Random(7)
    tree = Tree()
    keys = [random.randrange(1 << 40) for _ in range(20000 * scale)]
    for k in keys:
        tree[k] = (k, str(k))
    random.shuffle(keys)
    found = sum(1 for k in keys[:10000 * scale] if tree[k][0] == k)
    total = last = 0
    for k, (same, text) in tree.root:
        assert last <= k == same
        last = k
        total += len(text)
    print(found, total)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
