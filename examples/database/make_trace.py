"""Write a trace of a database as CSV: thread, file, page.

Four clients read an index and then a table, both skewed. One query in four looks into an old archive, where it reads a
page three times. The write-ahead log grows. Now and then a backup reads all tables from end to end.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

QUERIES = 60_000
TABLES = {f"orders.{number}": 900 for number in range(12)}
"""Pages of each table; the first ones are read most."""
INDEX_PAGES = 60
ARCHIVES, ARCHIVE_PAGES = 200, 300
BACKUP_EVERY, PAGES_A_QUERY = 15_000, 3
"""Queries from one backup to the next, and pages that the backup reads for each query meanwhile."""


def skewed(source: random.Random, pages: int) -> int:
    """A page number; low ones come more often."""
    return int(pages * source.random() ** 3)


def backup() -> Iterator[tuple[str, int]]:
    """All pages of all files, in order."""
    for table, pages in TABLES.items():
        yield from ((f"{table}.index", page) for page in range(INDEX_PAGES))
        yield from ((table, page) for page in range(pages))


def requests() -> Iterator[tuple[str, str, int]]:
    source = random.Random(12)
    names = list(TABLES)
    copying: Iterator[tuple[str, int]] = iter(())
    for query in range(QUERIES):
        if query % BACKUP_EVERY == BACKUP_EVERY // 3:
            copying = backup()
        client, table = f"client{source.randrange(4)}", names[skewed(source, len(names))]
        if source.random() < 0.25:
            archive, page = f"archive.{source.randrange(ARCHIVES)}", source.randrange(ARCHIVE_PAGES)
            yield from [(client, archive, page)] * 3
            continue
        yield client, f"{table}.index", skewed(source, INDEX_PAGES)
        yield client, table, skewed(source, TABLES[table])
        if query % 8 == 0:
            yield "walwriter", "wal", query // 8
        for _ in range(PAGES_A_QUERY):
            file, page = next(copying, ("", 0))
            if file:
                yield "backup", file, page


print("thread,file,page")
for thread, file, page in requests():
    print(f"{thread},{file},{page}")
