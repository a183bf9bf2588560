"""Prints the times of `run` as a table, and what they come to."""

import collections
import math
import statistics
import sys

figures = collections.defaultdict(lambda: collections.defaultdict(list))
for line in open(sys.argv[1]):
    way, row, nanos = line.split()
    figures[row][way].append(int(nanos))
print(f"{'row':22} {'rayon µs':>12} {'wsrt µs':>12} {'ratio':>6}")
ratios = {}
for row, ways in figures.items():
    rayon, wsrt = (statistics.median(ways[way]) for way in ("rayon", "wsrt"))
    ratios[row] = wsrt / rayon
    print(f"{row:22} {rayon / 1e3:12.1f} {wsrt / 1e3:12.1f} {ratios[row]:6.2f}")
mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios.values()))
worst = max(ratios, key=ratios.get)
print(f"geometric mean {mean:.3f}, at most {ratios[worst]:.2f} ({worst})")
