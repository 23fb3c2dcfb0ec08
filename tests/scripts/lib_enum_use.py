# enum in programs: state machines, dispatch, sets of flags, threads, memory.
import gc
import sys
import threading
import weakref
from collections import Counter, defaultdict
from enum import Enum, Flag, IntEnum, IntFlag, auto, unique, verify, UNIQUE, CONTINUOUS, NAMED_FLAGS


@unique
class State(Enum):
    IDLE = auto()
    RUNNING = auto()
    PAUSED = auto()
    DONE = auto()

    @property
    def final(self):
        return self is State.DONE

    def next(self, event):
        return TRANSITIONS.get((self, event), self)


class Event(Enum):
    START = "start"
    PAUSE = "pause"
    RESUME = "resume"
    FINISH = "finish"


TRANSITIONS = {
    (State.IDLE, Event.START): State.RUNNING,
    (State.RUNNING, Event.PAUSE): State.PAUSED,
    (State.PAUSED, Event.RESUME): State.RUNNING,
    (State.RUNNING, Event.FINISH): State.DONE,
}

state = State.IDLE
trace = [state.name]
for word in "start pause start resume finish pause".split():
    state = state.next(Event(word))
    trace.append(state.name)
print(trace, state.final, State.IDLE.final)


class Permission(Flag):
    NONE = 0
    READ = auto()
    WRITE = auto()
    EXECUTE = auto()
    ALL = READ | WRITE | EXECUTE


class User:
    def __init__(self, name, rights=Permission.NONE):
        self.name = name
        self.rights = rights

    def can(self, right):
        return right in self.rights


users = [User("ann", Permission.ALL), User("bob", Permission.READ | Permission.WRITE), User("eve")]
for user in users:
    print(user.name, user.rights, [p.name for p in user.rights], user.can(Permission.WRITE), bool(user.rights))
print(Permission.ALL & ~Permission.WRITE, Permission.READ ^ Permission.ALL, list(Permission), len(Permission))
try:
    Permission.READ | 1
except TypeError as e:
    print(e)


class Mode(IntFlag):
    A = 1
    B = 2
    C = 4


print(Mode.A | 2, int(Mode.B | Mode.C), Mode(7), repr(Mode(7) & ~Mode.B), 5 & Mode.C, Mode.A + Mode.B, repr(Mode.A | 16))


class Priority(IntEnum):
    LOW = 10
    HIGH = 1


jobs = sorted([(Priority.LOW, "b"), (Priority.HIGH, "z"), (Priority.LOW, "a")])
print(jobs, [n for p, n in jobs if p == 10], range(Priority.HIGH, 4), [1, 2, 3][Priority.HIGH])

count = Counter([State.IDLE, State.DONE, State.IDLE])
groups = defaultdict(list)
for i in range(6):
    groups[list(State)[i % 4]].append(i)
print(count[State.IDLE], {k.name: v for k, v in groups.items()})
for check, body in ((UNIQUE, {"A": 1, "B": 1}), (CONTINUOUS, {"A": 1, "B": 4})):
    try:
        verify(check)(Enum("Checked", body))
    except ValueError as e:
        print(e)
try:
    verify(NAMED_FLAGS)(Flag("Parts", {"A": 1, "AB": 3}))
except ValueError as e:
    print(e)

# Members are one object each, whoever asks, on every thread.
seen = []


def ask():
    for _ in range(300):
        seen.append(id(State(2)))
        seen.append(id(State["RUNNING"]))
        Mode(1 + _ % 7)


threads = [threading.Thread(target=ask) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(set(seen) == {id(State.RUNNING)}, Mode(3) is Mode(3))

# An enumeration can go as a whole: members, class, their cycle.


def make():
    class Local(Enum):
        A = []
        B = object()
    Local.A.extra = Local.B
    return weakref.ref(Local), weakref.ref(Local.A)


refs = make()
gc.collect()
gc.collect()
print([r() for r in refs])
before = sys.getrefcount(State.DONE)
held = [State.DONE] * 10
print(sys.getrefcount(State.DONE) - before)
del held
print(sys.getrefcount(State.DONE) - before)
