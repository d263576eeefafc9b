"""Print a small trace, one key per line: four phases of reads of a thousand pages each, Zipf-distributed."""

from random import Random

PAGES = range(1000)

source = Random(1)
for phase in range(4):
    for page in source.choices(PAGES, [1 / (rank + 1) ** 0.9 for rank in PAGES], k=20_000):
        print(1000 * phase + page)
