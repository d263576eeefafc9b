"""The event log: one format for what the simulator did, what the kernel recorded and what a check found.

Text, UTF-8, one line an item, columns separated by single tabs. The header comes first:

    cpol-events 1
    policy      NAME
    lists       NAME ...        the policy's lists, in order of declaration (list 1, 2, ...); an array of lists comes
                                last, with its length: generation[64], which are list generation.0, generation.1, ...
    ghosts      NAME ...        its ghosts, likewise (ghost 0, 1, ...); the line may have no name
    capacity    PAGES
    batch       PAGES           wanted by an evict request of the simulator, 1 to 32
    decisions   yes|no          whether decision lines were recorded
    seed        N               of the random source; 1 if the line is not there
    param       NAME VALUE      any number of them: what the policy ran with, as a user writes it
    input       NAME KEY VALUE  likewise: what an input held before the first event. KEY is a number, or of pages
                                FILE:FIRST..LAST; the VALUE of a set is true. A later line for the same key holds

Then events, in the order in which they happened. `file` and `index` name a folio (docs/semantics.md, *Identity*); all
numbers are decimal and fit into 64 bits.

    missed          FILE INDEX
    added           FILE INDEX PAGES
    first_accessed  FILE INDEX
    accessed        FILE INDEX
    removed         FILE INDEX evicted|deleted
    evict           WANTED              one request, all its calls of the handler
    refused         FILE INDEX          a proposed folio could not go, and went back to its list
    fallback        FILE INDEX          the machine (or the kernel) chose this folio itself; removed, as evicted
    admit           FILE INDEX          only if the policy has a handler for it
    tick            MS                  time since the policy was attached, in milliseconds
    task            THREAD PROCESS      whose doing the events are from here on; 0 0 at first. Has no effect of its own

After an event and before the next one, each on a line that begins with a tab, come the decisions: the effects of
the event's handler, in the order in which they took place. What has no effect (a move of a proposed folio) has no line.

    place       FILE INDEX LIST head|tail
    move        FILE INDEX LIST head|tail
    propose     FILE INDEX
    ghost_add   FILE INDEX GHOST
    ghost_take  FILE INDEX GHOST        found and forgotten; a take that found nothing has no line
    refuse      FILE INDEX              the folio is not to come into the cache
    leave       FILE INDEX              the folio is left to the kernel
    ghost_forget FILE INDEX GHOST       which was the oldest; if there was none, there is no line

`evict lowest` writes a `move` whenever a folio goes to the far end (one displaced, or one that did not become a
candidate), then a `propose` for each candidate. `refused` is followed by the `move` that brings the folio back. A
request of the simulator is `evict` with its decisions, then for each proposal in order `removed … evicted` with that
event's own. What `every N events` decides stands after the decisions of the event that it follows.

For C and for comparing, a line is a row of five unsigned 64-bit numbers `op, file, index, a, b`:

    op  name            file, index   a                     b
     1  missed          the folio     0                     0
     2  added           the folio     pages                 0
     3  first_accessed  the folio     0                     0
     4  accessed        the folio     0                     0
     5  removed         the folio     0 evicted, 1 deleted  0
     6  evict           0, 0          wanted                0
     7  refused         the folio     0                     0
     8  fallback        the folio     0                     0
     9  admit           the folio     0                     0
    10  tick            0, 0          milliseconds          0
    11  task            0, 0          thread                process
    16  place           the folio     list, from 1          0 head, 1 tail
    17  move            the folio     list, from 1          0 head, 1 tail
    18  propose         the folio     0                     0
    19  ghost_add       the folio     ghost, from 0         0
    20  ghost_take      the folio     ghost, from 0         0
    21  refuse          the folio     0                     0
    22  leave           the folio     0                     0
    23  ghost_forget    the folio     ghost, from 0         0
"""

from cpol.runtime.events.read import LogError, parse, read
from cpol.runtime.events.rows import ENDS, MAX_LINE, VERSION, Header, Log, Op, Row
from cpol.runtime.events.write import format_header, format_row, save, write

__all__ = [
    "ENDS",
    "MAX_LINE",
    "VERSION",
    "Header",
    "Log",
    "LogError",
    "Op",
    "Row",
    "format_header",
    "format_row",
    "parse",
    "read",
    "save",
    "write",
]
