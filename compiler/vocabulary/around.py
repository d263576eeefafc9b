"""What is around a folio: the cache, the task that caused the event, the call: `cache.size`, `task.thread`."""

from __future__ import annotations

from cpol.compiler.types import BOOL, U64
from cpol.compiler.vocabulary.attribute import Attribute, attributes
from cpol.compiler.vocabulary.event import TASK_EVENTS

*_FIRST, _LAST = (f"`{event}`" for event in TASK_EVENTS)
_TASK = f"the task that caused the event, 0 if that is not known; in {', '.join(_FIRST)} and {_LAST}"
_IDS = "bpf_get_current_pid_tgid"

CACHE = attributes(
    Attribute("size", U64, "pages that the policy owns", features=("sizes",)),
    Attribute("capacity", U64, "pages that it may own", features=("sizes",)),
    Attribute("clock", U64, "`added` and `accessed` events so far, the current one included", features=("clock",)),
    Attribute("time", U64, "milliseconds since the policy was attached", fact="time", features=("time",)),
)

TASK = attributes(
    Attribute("thread", U64, _TASK, fact="thread", features=("task",), helper=_IDS),
    Attribute("process", U64, _TASK, fact="process", features=("task",), helper=_IDS),
    Attribute(
        "comm",
        U64,
        "the name of its command, 0 if that is not known; in the same handlers",
        fact="comm",
        features=("task",),
        helper="bpf_get_current_comm",
    ),
    Attribute(
        "writes",
        BOOL,
        "whether the task writes, and does not read; in the same handlers; no kernel tells it yet",
        fact="rw",
        features=("writes",),
        hidden=True,
        told=True,
    ),
)

TASK_ALWAYS = tuple(attribute.name for attribute in TASK.values() if not attribute.hidden)
"""What no field of a thread's record may be called."""

TASK_HIDDEN = tuple(attribute.name for attribute in TASK.values() if attribute.hidden)
"""What a field of the same name hides."""

TAKEN = {"file": ("pages", "device"), "task": TASK_ALWAYS, "area": ("pages", "first", "last", "flags")}
"""What no field of a record may be called, by what it is of: what is known, or may be in a later version."""

EVICT = attributes(Attribute("wanted", U64, "in `on evict`: pages wanted from this call"))
EVERY = attributes(Attribute("periods", U64, "in `every`: periods that went by since the block last ran, at least 1"))
