# A bank with accounts of their own locks, transfers in order of number, an audit that sees no money come or go.
import random
import threading


class Insufficient(Exception):
    pass


class Account:
    _next = 0

    def __init__(self, balance):
        Account._next += 1
        self.number = Account._next
        self.balance = balance
        self.lock = threading.RLock()
        self.history = []

    def change(self, amount):
        with self.lock:
            if self.balance + amount < 0:
                raise Insufficient("account %d has %d, wanted %d" % (self.number, self.balance, -amount))
            self.balance += amount
            self.history.append(amount)


class Bank:
    def __init__(self, n, each):
        self.accounts = [Account(each) for _ in range(n)]
        self.refused = []

    def transfer(self, a, b, amount):
        first, second = sorted((a, b), key=lambda x: x.number)
        with first.lock, second.lock:
            a.change(-amount)
            b.change(amount)

    def total(self):
        locks = [a.lock for a in self.accounts]
        for lock in locks:
            lock.acquire()
        try:
            return sum(a.balance for a in self.accounts)
        finally:
            for lock in reversed(locks):
                lock.release()


bank = Bank(8, 100)
audits = set()
stop = threading.Event()


def teller(seed):
    rng = random.Random(seed)
    for _ in range(400):
        a, b = rng.sample(bank.accounts, 2)
        try:
            bank.transfer(a, b, rng.randrange(1, 60))
        except Insufficient as e:
            bank.refused.append(str(e))


def auditor():
    while not stop.is_set():
        audits.add(bank.total())


tellers = [threading.Thread(target=teller, args=(i,)) for i in range(4)]
audit = threading.Thread(target=auditor)
audit.start()
for t in tellers:
    t.start()
for t in tellers:
    t.join()
stop.set()
audit.join()
audits.add(bank.total())
print(audits, min(a.balance for a in bank.accounts) >= 0)
print(all(100 + sum(a.history) == a.balance for a in bank.accounts))
print(sum(len(a.history) for a in bank.accounts) == 2 * (1600 - len(bank.refused)))
print(all(r.startswith("account ") for r in bank.refused))
# Alone, the order is fixed.
solo = Bank(4, 50)
rng = random.Random(99)
for _ in range(30):
    a, b = rng.sample(solo.accounts, 2)
    try:
        solo.transfer(a, b, rng.randrange(1, 60))
    except Insufficient as e:
        print(e)
print([a.balance for a in solo.accounts], [a.history for a in solo.accounts])
