"""The event log: one format for the simulator, the kernel's recordings and counterexamples.

It is UTF-8 text, one item per line, with single tabs between columns. The header comes first:

    cpol-events 1
    policy      NAME
    lists       NAME ...        the policy's lists, in order of declaration (list 1, 2, ...); an array of lists comes
                                last with its length: generation[64] has the lists generation.0, generation.1, ...
                                The line may have no name
    ghosts      NAME ...        its ghosts, likewise (ghost 0, 1, ...); the line may have no name
    capacity    PAGES
    batch       PAGES           wanted by an evict request of the simulator, 1 to 32
    decisions   yes|no          whether decision lines were recorded
    seed        N               of the random source; 1 without this line
    param       NAME VALUE      one line per param: its value, as users write it
    input       NAME KEY VALUE  one line per key: what an input held before the first event. KEY is a number, or
                                FILE:FIRST..LAST for pages, or the name of a command; in a set VALUE is true. The last
                                line for a key counts

Then come the events, in the order in which they happened. `file` and `index` name a folio (docs/semantics.md,
*Identity*). All numbers are decimal and fit into 64 bits.

    missed          FILE INDEX
    added           FILE INDEX PAGES
    first_accessed  FILE INDEX
    accessed        FILE INDEX
    removed         FILE INDEX evicted|deleted
    evict           WANTED              one request, with all its calls of the handler
    refused         FILE INDEX          a proposed folio could not go, and returned to its list
    fallback        FILE INDEX          the machine (or the kernel) itself chose this folio and evicted it
    admit           FILE INDEX          only if the policy has a handler for it
    tick            MS                  time since the policy was attached, in milliseconds
    task            THREAD PROCESS COMM  the task that causes the events from here on; 0 0 at first. COMM is the name of
                                        its command, where any byte but printable ASCII is \\xHH; it is left out if it
                                        is not known
    origin          DEVICE CGROUP       where the folios come from that are added from here on; 0 0 at first
    rw              read|write          whether the requests from here on read or write; read at first
    readers         FILE READERS        how often the file is open for reading from here on; 0 at first
    room            PAGES               the capacity from here on, which is the header's at first
    area            AREA FIRST LAST     the area of the faults from here on: what names it, its first and its last page
    swap            DEVICE SLOTS WINDOW  the swap device of the faults from here on, its slots, and most pages that the
                                        kernel's own readahead reads
    fault           PAGE SLOT FLAGS     `none`, `cached`, or `cached,prefetched`
    prefetch        PAGE SLOT           what to prefetch with this page
    window          DEVICE SIZE START PAGES  of the requests from here on: the device and the pages of the file, and
                                        what the kernel's own readahead would read, PAGES from START on
    readahead       FILE INDEX WANTED FLAGS  what to prefetch with these pages; `none`, or some of sequential, marker,
                                        mapped with commas
    opened          FILE                a file was opened, of the device and size that `window` said last
    read            FILE INDEX PAGES    these pages of it were read
    written         FILE INDEX PAGES    these pages of it were written
    out             PAGE PAGES FLAGS    so many pages from this one on are about to go out to swap, of the area and the
                                        task that were named last; `none`, or some of shared, workingset with commas
    flags           FILE INDEX FLAGS    what the folio is from here on: `none`, or some of dirty, writeback, mapped,
                                        executable with commas. One that was added is none of them

After an event come its decisions: the effects of its handler, in order, each on a line that begins with a tab. A
statement without an effect (a move of a proposed folio) has no line.

    place       FILE INDEX LIST head|tail
    move        FILE INDEX LIST head|tail
    propose     FILE INDEX
    ghost_add   FILE INDEX GHOST
    ghost_take  FILE INDEX GHOST        found and forgotten; a take that found nothing has no line
    refuse      FILE INDEX              the folio does not come into the cache
    leave       FILE INDEX              the folio is left to the kernel
    slot        SLOT                    a target of `prefetch`
    page        PAGE
    index       FILE INDEX
    default                             the kernel's own prefetching runs, too; the first `default` only
    drop                                the range leaves the cache; the first `drop` only
    flush       start|wait              the range is written back; if that, or more, was not said before
    leave_file                          the open file is left to the kernel; the first `leave` only
    ahead       PAGES                   the window of readahead of the opened file; if it was not this before
    hold                                the pages stay, which the quota allows
    ghost_forget FILE INDEX GHOST       the oldest entry; without an entry, there is no line
    reclaim     PAGES                   an eviction of so many pages is wanted; none if they are 0

- `evict lowest` writes a `move` for each folio that goes to the far end (a displaced candidate, or one that did not
  become a candidate), then a `propose` for each candidate.
- After `refused` comes the `move` that returns the folio.
- A request of the simulator is `evict` with its decisions, then for each proposal `removed … evicted` with the
  decisions of that event.
- The decisions of `every N events` come after those of the event that it follows.

In C and in comparisons, a line is a row of five unsigned 64-bit numbers `op, file, index, a, b`:

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
    11  task            the command   thread                process
    12  flags           the folio     1 dirty, 2 writeback, 4 mapped, 8 executable; their sum
    13  origin          0, 0          device                cgroup
    14  rw              0, 0          0 read, 1 write       0
    15  room            0, 0          pages                 0
    16  place           the folio     list, from 1          0 head, 1 tail
    17  move            the folio     list, from 1          0 head, 1 tail
    18  propose         the folio     0                     0
    19  ghost_add       the folio     ghost, from 0         0
    20  ghost_take      the folio     ghost, from 0         0
    21  refuse          the folio     0                     0
    22  leave           the folio     0                     0
    23  ghost_forget    the folio     ghost, from 0         0
    24  slot            0, the slot   0                     0
    25  page            0, the page   0                     0
    26  index           the page      0                     0
    27  default         0, 0          0                     0
    28  drop            0, 0          0                     0
    29  flush           0, 0          0 start, 1 wait       0
    30  ahead           0, 0          pages                 0
    31  hold            0, 0          0                     0
    32  area            its name, 0   first page            last page
    33  swap            device, 0     slots                 window
    34  fault           0, the page   slot                  1 cached, 2 prefetched; their sum
    35  prefetch        0, the page   slot                  0
    36  window          device, size  start                 pages
    37  readahead       the page      wanted                1 sequential, 2 marker, 4 mapped; their sum
    38  opened          its file, 0   0                     0
    39  read            first page    pages                 0
    40  written         first page    pages                 0
    41  out             0, first page pages                 1 shared, 2 workingset; their sum
    42  leave_file      0, 0          0                     0
    43  reclaim         0, 0          pages                 0
    44  readers         the file, 0   readers               0

The command of a task is its name, filled up with zeros to 16 bytes: two little-endian numbers.
"""

from cpol.runtime.machine.events.read import LogError, parse, read
from cpol.runtime.machine.events.rows import ENDS, MAX_LINE, VERSION, Header, Log, Op, Row
from cpol.runtime.machine.events.write import format_header, format_row, save, show_flags, write

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
    "show_flags",
    "write",
]
