"""Write a trace of a file server as CSV: file, page. Each request reads a whole file; files have many sizes."""

from __future__ import annotations

import random

FILES, REQUESTS = 2_000, 8_000

source = random.Random(5)
pages = [min(int(source.lognormvariate(1.2, 1.3)) + 1, 400) for _ in range(FILES)]
rank = source.sample(range(FILES), FILES)
weights = [1 / (1 + position) ** 0.9 for position in range(FILES)]
print("file,page")
for file in source.choices(rank, weights, k=REQUESTS):
    for page in range(pages[file]):
        print(f"{file},{page}")
