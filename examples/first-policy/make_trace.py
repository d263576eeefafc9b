"""Print a small trace, one key per line: a loop over 900 pages with reads of ten hot pages in between."""

for turn in range(20):
    for page in range(900):
        print(page)
        print(10_000 + (page * 7 + turn) % 10)
