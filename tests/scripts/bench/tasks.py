# args: 1
"""A simulated operating system kernel: classes, inheritance, method calls, attributes."""
import sys

IDLE, WORKER, DEVICE = range(3)


class Packet:
    def __init__(self, link, ident, kind):
        self.link = link
        self.ident = ident
        self.kind = kind
        self.datum = 0
        self.data = [0] * 4

    def append_to(self, queue):
        self.link = None
        if queue is None:
            return self
        p = queue
        while p.link is not None:
            p = p.link
        p.link = self
        return queue


class State:
    def __init__(self):
        self.pending = True
        self.waiting = False
        self.holding = False

    def set_pending(self):
        self.pending, self.waiting, self.holding = True, False, False
        return self

    def set_waiting(self):
        self.pending, self.waiting, self.holding = False, True, False
        return self

    def runnable(self):
        return self.pending or not (self.waiting or self.holding)


class Task(State):
    def __init__(self, kernel, ident, priority, queue):
        super().__init__()
        self.kernel = kernel
        self.ident = ident
        self.priority = priority
        self.input = queue
        self.count = 0
        kernel.tasks.append(self)
        kernel.table[ident] = self

    def add_packet(self, packet):
        self.input = packet.append_to(self.input)
        self.set_pending()

    def run(self):
        packet = self.input
        if packet is None:
            self.set_waiting()
            return None
        self.input = packet.link
        return self.step(packet)

    def step(self, packet):
        raise NotImplementedError


class Worker(Task):
    target = DEVICE

    def step(self, packet):
        self.target = IDLE if self.target == DEVICE else DEVICE
        for i in range(4):
            self.count += 1
            if self.count > 26:
                self.count = 1
            packet.data[i] = self.count + 64
        packet.ident = self.target
        return packet


class Device(Task):
    def step(self, packet):
        self.count += sum(packet.data) & 7
        packet.ident = WORKER
        return packet


class Idle(Task):
    control = 1

    def step(self, packet):
        if self.control & 1:
            self.control = self.control // 2 ^ 0xD008
            packet.ident = DEVICE
        else:
            self.control //= 2
            packet.ident = WORKER
        self.count += 1
        return packet


class Kernel:
    def __init__(self):
        self.tasks = []
        self.table = {}
        self.moved = 0

    def schedule(self, rounds):
        while self.moved < rounds:
            for task in self.tasks:
                if task.runnable():
                    packet = task.run()
                    if packet is not None:
                        self.table[packet.ident].add_packet(packet)
                        self.moved += 1


def main(scale):
    kernel = Kernel()
    queue = None
    for kind in range(3):
        queue = Packet(queue, WORKER, kind)
    Idle(kernel, IDLE, 1, None)
    Worker(kernel, WORKER, 1000, queue)
    Device(kernel, DEVICE, 2000, None)
    kernel.schedule(20000 * scale)
    print(kernel.moved, [t.count for t in kernel.tasks])


main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
