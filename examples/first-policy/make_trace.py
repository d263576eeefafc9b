"""A small trace, one key a line: a loop over 900 pages, and ten hot ones read between. Always the same."""

for turn in range(20):
    for page in range(900):
        print(page)
        print(10_000 + (page * 7 + turn) % 10)
