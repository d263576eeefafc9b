"""Where an expression stands: `where` of the checkers is one of these, or the event of a handler."""

from __future__ import annotations

FN = "a fn"
TEST = "a test"
CONSTANT = "a constant"
CAPACITY = "a ghost's capacity"
QUOTA = "a quota of pinned pages"
KEEP_QUOTA = "a quota of kept pages"
CACHE_QUOTA = "a quota of cached pages"
RECORD_COUNT = "the number of records"
SIZE = "the size of a table"
ARRAY_SIZE = "the size of an array"
LENGTH = "the number of lists"
PERIOD = "a period"
SCORE = "a score"
INVARIANT = "an invariant"
ATTACHED = frozenset((CAPACITY, QUOTA, KEEP_QUOTA, RECORD_COUNT, SIZE, ARRAY_SIZE, LENGTH, PERIOD, CACHE_QUOTA))
"""Expressions that attach could evaluate. It does, but for those of AGAIN."""
AGAIN = frozenset((PERIOD, CACHE_QUOTA))
"""Expressions that are evaluated each time that they count, with the params and the capacity as they are then."""
FIXED = ATTACHED | {CONSTANT}
PURE = FIXED | {SCORE, INVARIANT, FN, TEST}
"""Expressions without side effects."""
