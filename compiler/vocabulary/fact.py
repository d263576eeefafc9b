"""What a policy reads of its surroundings and a trace may lack: the notes of `cpolc sim`, and its `--assume`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple


class Fact(NamedTuple):
    """A fact. `page` is the place of a folio in its file; `rw` tells reads from writes."""

    name: str
    what: str
    """What a trace has that tells it."""
    otherwise: str
    """What a policy reads where nothing tells it."""
    say: str
    """What to write behind `--assume NAME=`."""
    value: Literal["number", "no", "object", "step", "way", "comm", "device"] = "number"
    """What `--assume` takes: of a number, `Assumed` has a field with the name of the fact."""
    traced: bool = True
    """Whether some trace tells it."""


FACTS: Mapping[str, Fact] = {
    fact.name: fact
    for fact in (
        Fact("file", "files", "every folio has the file 0", "N"),
        Fact(
            "page",
            "pages of files",
            "a folio's index is the number of its object",
            "object, if these are pages of one file",
            "object",
        ),
        Fact("thread", "threads", "the thread is always 0", "N"),
        Fact("process", "processes", "the process is always 0", "N"),
        Fact("comm", "names of commands", "no command has a name", "NAME", "comm"),
        Fact("time", "times", "100 requests count as a millisecond", "STEP (such as 50us)", "step"),
        Fact("rw", "reads and writes", "all requests read, and no folio is dirty", "read or --assume rw=write", "way"),
        Fact("writeback", "writeback", "no folio is under writeback", "no", "no", traced=False),
        Fact("mapped", "mappings", "no folio is mapped", "no", "no", traced=False),
        Fact("executable", "executable mappings", "no folio is mapped as code", "no", "no", traced=False),
        Fact("unread", "readahead", "a folio that came is read at once", "no", "no"),
        Fact("readers", "files that are open", "no file is open for reading", "no", "no", traced=False),
        Fact("device", "devices", "every folio has the device 0", "MAJOR:MINOR", "device", traced=False),
        Fact("cgroup", "cgroups", "every folio has the cgroup 0", "N", traced=False),
    )
}
"""In the order in which messages name them."""
