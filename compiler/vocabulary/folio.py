"""The attributes of a folio: `f.pages`, `f.dirty`."""

from __future__ import annotations

from cpol.compiler.types import BOOL, U64
from cpol.compiler.vocabulary.attribute import LISTS, Attribute, attributes

_FLAGS = (
    Attribute(
        "dirty",
        BOOL,
        "whether it was written to, and the disk does not have that yet",
        fact="rw",
        features=("flags",),
        hidden=True,
        told=True,
    ),
    Attribute(
        "writeback",
        BOOL,
        "whether it is being written to the disk",
        fact="writeback",
        features=("flags",),
        hidden=True,
        told=True,
    ),
    Attribute(
        "mapped",
        BOOL,
        "whether a process has it mapped",
        fact="mapped",
        features=("flags",),
        hidden=True,
        told=True,
    ),
    Attribute(
        "executable",
        BOOL,
        "whether a process has a part of its file mapped as code that it lies in",
        fact="executable",
        features=("flags",),
        hidden=True,
        told=True,
    ),
)
_ORIGIN = (
    Attribute(
        "device",
        U64,
        "the device of its file system, MAJOR << 20 | MINOR; 0 if that is not known",
        fact="device",
        features=("origin",),
        hidden=True,
        told=True,
    ),
    Attribute(
        "cgroup",
        U64,
        "the memory cgroup that pays for it, its id; 0 if that is not known",
        fact="cgroup",
        features=("origin", "cgroup"),
        hidden=True,
        told=True,
    ),
)

FOLIO = attributes(
    Attribute("list", LISTS, "the list it is on; compare it with the names of lists", features=("folio_list",)),
    Attribute("pages", U64, "how many pages the folio has"),
    Attribute("index", U64, "where it lies in its file, in pages", fact="page", features=("names",), named=True),
    Attribute("file", U64, "its file, as a number", fact="file", features=("names",), named=True),
    *_FLAGS,
    Attribute(
        "unread",
        BOOL,
        "whether nothing was read or written in it since it came: `first_accessed` has not happened",
        fact="unread",
        features=("unread",),
        hidden=True,
        c="(!{record}->cpol_touched)",
    ),
    Attribute(
        "age",
        U64,
        "milliseconds since it came into the cache, or since the policy was attached, if that was later",
        fact="time",
        hidden=True,
        lowered=True,
    ),
    Attribute("pinned", BOOL, "whether `f` is pinned, in a policy with a quota", hidden=True),
    *_ORIGIN,
)
"""In the order in which messages name them."""

FILE = attributes(
    Attribute(
        "readers",
        U64,
        "how often its file is open for reading only, at this moment",
        fact="readers",
        features=("names", "readers"),
        hidden=True,
        told=True,
    ),
)
"""What is known of the file of a folio, a request or a range: `f.file.readers`."""

READ_OF_FOLIOS = {**FOLIO, **FILE}
"""What `ir.FolioAttr` names."""

FOLIO_FLAGS = tuple(attribute.name for attribute in _FLAGS)
"""What a folio may be, as bits from bit 0 on, in the order of `enum cpol_flag` (host.h)."""

FOLIO_ORIGIN = tuple(attribute.name for attribute in _ORIGIN)
"""Where a folio came from, settled when it comes."""

FOLIO_ALWAYS = tuple(attribute.name for attribute in FOLIO.values() if not attribute.hidden)
"""What no field of a folio may be called."""

FOLIO_HIDDEN = tuple(attribute.name for attribute in FOLIO.values() if attribute.hidden)
"""What a field of the same name hides."""

DIRTY, WRITEBACK, MAPPED, EXECUTABLE = (1 << bit for bit in range(4))
DIRTY_SHARE = 10
"""In a trace at most one folio in so many is dirty."""
