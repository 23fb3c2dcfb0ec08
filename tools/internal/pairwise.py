"""Chooses few combinations of settings in which every two values still meet.

pairwise({"block": [1, 4], "threads": [2, 8], ...}) -> a list of dicts. For any two
settings, each pair of their values stands in at least one of them. The choice is greedy
among random candidates with a fixed seed, so that it is the same in every run.
"""

import itertools
import random


def pairwise(settings, seed=1):
    names = list(settings)
    missing = {(a, x, b, y)
               for a, b in itertools.combinations(names, 2)
               for x in settings[a] for y in settings[b]}
    chance = random.Random(seed)
    chosen = []
    while missing:
        best, most = None, []
        for _ in range(60):
            # Each candidate holds one pair that is missing, so every step helps.
            a, x, b, y = chance.choice(sorted(missing, key=repr))
            row = {n: chance.choice(settings[n]) for n in names}
            row[a], row[b] = x, y
            met = [p for p in itertools.combinations(names, 2)
                   if (p[0], row[p[0]], p[1], row[p[1]]) in missing]
            if len(met) > len(most):
                best, most = row, met
        chosen.append(best)
        for a, b in itertools.combinations(names, 2):
            missing.discard((a, best[a], b, best[b]))
    return chosen
