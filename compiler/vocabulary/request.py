"""What is known of a fault, a request for pages of a file, a range of a file, and of pages that go out to swap."""

from __future__ import annotations

from cpol.compiler.types import BOOL, U64, IntType
from cpol.compiler.vocabulary.attribute import Attribute, attributes
from cpol.compiler.vocabulary.folio import FILE

_AREA = "the first and the last page of its area (VMA)"
_OWNER = "their process, and the name of its command (as `task.comm`)"
_TASK = ("task",)

FAULT = attributes(
    Attribute("page", U64, "its virtual page: the address / 4096"),
    Attribute("slot", U64, "where the page is on the swap device"),
    Attribute("slots", U64, "how many slots the device has; slot 0 is its header"),
    Attribute("device", U64, "the number of the device: several may be on"),
    Attribute("first", U64, _AREA),
    Attribute("last", U64, _AREA),
    Attribute("cached", BOOL, "in `fault`: the page is in the swap cache", only="fault"),
    Attribute(
        "prefetched",
        BOOL,
        "in `fault`: it is there because it was prefetched, and this is its first use",
        only="fault",
    ),
    Attribute(
        "window",
        IntType(False, 7),  # at most PREFETCH_TARGETS
        "in `prefetch`: how many pages the kernel's own readahead would read at most, 1 to 64",
        only="prefetch",
    ),
)
"""Of a fault: `p.page`."""

_START = "what the kernel's own readahead would read: so many pages, from there"

REQUEST = attributes(
    Attribute("index", U64, "the page of the file where it begins; at a marker, the marked page"),
    Attribute("wanted", U64, "how many pages are asked for. The kernel reads those, whatever the policy says"),
    Attribute("start", U64, _START),
    Attribute("window", U64, _START),
    Attribute("size", U64, "the pages of the file"),
    Attribute("file", U64, ""),
    Attribute("device", U64, ""),
    Attribute("sequential", BOOL, "the kernel takes the reads for sequential"),
    Attribute("marker", BOOL, "the reader came to a page that an earlier readahead marked"),
    Attribute("mapped", BOOL, "a mapping faulted"),
)
"""Of a request of `on readahead`: `r.index`."""

RANGE = attributes(
    Attribute("index", U64, "its first page; 0 in `opened`"),
    Attribute("pages", U64, "how many pages it has; 0 in `opened`"),
    Attribute("size", U64, "the pages of the file"),
    Attribute("file", U64, ""),
    Attribute("device", U64, ""),
)
"""Of a range of a file that was opened, read or written: `r.index`."""

OUT = attributes(
    Attribute("page", U64, "the virtual page of the first, in its process"),
    Attribute("pages", U64, "how many: a huge page goes as a whole"),
    Attribute("first", U64, _AREA),
    Attribute("last", U64, _AREA),
    Attribute("process", U64, _OWNER, fact="process", features=_TASK),
    Attribute("comm", U64, _OWNER, fact="comm", features=_TASK),
    Attribute("shared", BOOL, "more than one process maps them; the above is then of one of these"),
    Attribute("workingset", BOOL, "they were active before"),
)
"""Of pages that are about to go out to swap, in `on swap`."""

ASKED_OF_MEMORY = {**FAULT, **OUT}
"""What `ir.FaultAttr` names."""

ASKED_OF_FILES = {**REQUEST, **RANGE, **FILE}
"""What `ir.RequestAttr` names."""
