"""Which statements and names may stand in a handler, beyond what the grammar says: as the checks have it.

tests/editor asks the compiler about each statement in each handler, and compares.
"""

from __future__ import annotations

from cpol.compiler.check.folio import PINS_NOTHING
from cpol.compiler.vocabulary.event import ASKED, ONE_AT_A_TIME, RANGE_EVENTS, RECLAIMING, holding

MOVING = ("first_accessed", "accessed", "evict")
"""Events whose handler may move a folio."""


def allowed(keyword: str, event: str, *, scan: bool, loop: bool, pins: bool = True, keeps: bool = True) -> bool:
    """Whether a statement that begins with a keyword may stand in the handler of an event.

    Args:
        event: `every` for a periodic block, empty for an action, whose caller decides.
        scan: a scan is around it.
        loop: a loop or a scan is around it.
        pins: the policy has a quota of pinned pages.
        keeps: the policy has a quota of kept pages.
    """
    if keyword in ("pin", "unpin") and not pins:
        return False
    if keyword == "stop":
        return loop
    if keyword == "keep":
        return scan or (event in ("swap", "") and keeps)
    if not event:
        return True
    match keyword:
        case "place":
            return event == "added"
        case "refuse":
            return event == "admit"
        case "leave":
            return event == "added" or event in holding("leave")
        case "move":
            return scan or event in MOVING
        case "scan":
            return event == "evict" or event in ONE_AT_A_TIME
        case "evict":
            return event == "evict"
        case "reclaim":
            return event in RECLAIMING or event == "every"
        case "pin" | "unpin":
            return scan or event not in PINS_NOTHING
        case "prefetch" | "default":
            return event in ASKED
        case "drop" | "flush" | "readahead":
            return event in RANGE_EVENTS and event in holding(keyword)
    return True
