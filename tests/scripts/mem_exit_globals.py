# At exit finalizers still find the globals of their module; what other modules keep of it goes afterwards.
import atexit
import sys
import weakref

LOG = []
NAME = "globals"


def say(*what):
    print(NAME, *what, len(LOG))


class Late:
    def __del__(self):
        LOG.append(1)
        say("finalizer", type(self).__name__, sys is not None)


class Node:
    pass


late = Late()
cycle = Node()
cycle.me = cycle
cycle.late = Late()
kept = Node()
atexit.register(say, "atexit")
weakref.finalize(kept, say, "finalize")
print("end of the script")
