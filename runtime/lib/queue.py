"""Queues between threads.

One lock and three conditions per queue.  An item that is handed over is referred to by
nobody but its receiver: get() takes it out of the queue and returns it without a copy
in a local.
"""

import threading
from _thread import _hand_over
import time
from collections import deque
from heapq import heappush, heappop


class Empty(Exception):
    pass


class Full(Exception):
    pass


class Queue:
    def __init__(self, maxsize=0):
        self.maxsize = maxsize
        self._init(maxsize)
        self.mutex = threading.Lock()
        self.not_empty = threading.Condition(self.mutex)
        self.not_full = threading.Condition(self.mutex)
        self.all_tasks_done = threading.Condition(self.mutex)
        self.unfinished_tasks = 0

    def _init(self, maxsize):
        self.queue = deque()

    def _qsize(self):
        return len(self.queue)

    def _put(self, item):
        self.queue.append(item)

    def _get(self):
        return self.queue.popleft()

    def qsize(self):
        with self.mutex:
            return self._qsize()

    def empty(self):
        with self.mutex:
            return not self._qsize()

    def full(self):
        with self.mutex:
            return 0 < self.maxsize <= self._qsize()

    def put(self, item, block=True, timeout=None):
        with self.not_full:
            if self.maxsize > 0:
                if not block:
                    if self._qsize() >= self.maxsize:
                        raise Full
                elif timeout is None:
                    while self._qsize() >= self.maxsize:
                        self.not_full.wait()
                elif timeout < 0:
                    raise ValueError("'timeout' must be a non-negative number")
                else:
                    end = time.monotonic() + timeout
                    while self._qsize() >= self.maxsize:
                        left = end - time.monotonic()
                        if left <= 0.0:
                            raise Full
                        self.not_full.wait(left)
            _hand_over(item)
            self._put(item)
            # The receiver may run at once, and must then be the only holder.
            del item
            self.unfinished_tasks += 1
            self.not_empty.notify()

    def get(self, block=True, timeout=None):
        with self.not_empty:
            if not block:
                if not self._qsize():
                    raise Empty
            elif timeout is None:
                while not self._qsize():
                    self.not_empty.wait()
            elif timeout < 0:
                raise ValueError("'timeout' must be a non-negative number")
            else:
                end = time.monotonic() + timeout
                while not self._qsize():
                    left = end - time.monotonic()
                    if left <= 0.0:
                        raise Empty
                    self.not_empty.wait(left)
            if self.maxsize > 0:
                self.not_full.notify()
            return self._get()

    def put_nowait(self, item):
        return self.put(item, False)

    def get_nowait(self):
        return self.get(False)

    def task_done(self):
        with self.all_tasks_done:
            left = self.unfinished_tasks - 1
            if left < 0:
                raise ValueError("task_done() called too many times")
            self.unfinished_tasks = left
            if left == 0:
                self.all_tasks_done.notify_all()

    def join(self):
        with self.all_tasks_done:
            while self.unfinished_tasks:
                self.all_tasks_done.wait()


class LifoQueue(Queue):
    def _init(self, maxsize):
        self.queue = []

    def _put(self, item):
        self.queue.append(item)

    def _get(self):
        return self.queue.pop()


class PriorityQueue(Queue):
    def _init(self, maxsize):
        self.queue = []

    def _put(self, item):
        heappush(self.queue, item)

    def _get(self):
        return heappop(self.queue)


class SimpleQueue:
    """Unbounded; put() may be called from a finalizer that interrupts a get().

    The deque is atomic by itself.  get() clears the event before it looks a last time,
    so a put() in between is never lost.
    """

    def __init__(self):
        self._items = deque()
        self._filled = threading.Event()

    def put(self, item, block=True, timeout=None):
        _hand_over(item)
        self._items.append(item)
        self._filled.set()

    def get(self, block=True, timeout=None):
        if timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        end = None
        while True:
            try:
                return self._items.popleft()
            except IndexError:
                pass
            if not block:
                raise Empty
            self._filled.clear()
            if self._items:
                # Others may be waiting for what came between; let them look too.
                self._filled.set()
                continue
            if timeout is None:
                self._filled.wait()
                continue
            if end is None:
                end = time.monotonic() + timeout
            left = end - time.monotonic()
            if left <= 0.0:
                raise Empty
            self._filled.wait(left)

    def put_nowait(self, item):
        return self.put(item)

    def get_nowait(self):
        return self.get(False)

    def empty(self):
        return len(self._items) == 0

    def qsize(self):
        return len(self._items)
