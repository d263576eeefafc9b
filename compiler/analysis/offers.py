"""What policies can do on a kernel, in the language's words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from cpol.compiler.analysis.profile import COMM, TASK, TICK, Profile, tells
from cpol.compiler.vocabulary.around import TASK as TASK_ATTRIBUTES
from cpol.compiler.vocabulary.event import EVENTS
from cpol.compiler.vocabulary.folio import FOLIO


@dataclass(frozen=True)
class Offers:
    """What a kernel offers, and what of the language it does not."""

    handlers: tuple[str, ...]
    attributes: tuple[str, ...]
    """Of a folio and of a task, those that not each kernel tells."""
    actions: tuple[str, ...]
    """Those that not each kernel does."""
    lacks: tuple[str, ...]
    """Handlers, attributes and actions."""
    limits: dict[str, int]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def offers(profile: Profile) -> Offers:
    """What the kernel of a profile offers."""
    helpers = (TASK, COMM) if profile.helpers is None else profile.helpers
    handlers = {event.name: tells(profile, event) for event in EVENTS.values()}
    attributes = {f"f.{name}": name in profile.folio for name, known in FOLIO.items() if known.told}
    attributes |= {
        f"task.{name}": not known.helper or known.helper in helpers for name, known in TASK_ATTRIBUTES.items()
    }
    attributes["task.writes"] = "writes" in profile.task
    actions = {
        "pin": profile.pins,
        "reclaim": profile.reclaim,
        "every N ms": bool(profile.events.get("tick")),
        "every N events": bool(profile.events.get("tick")) and profile.knows(TICK),
        "arrays of lists": "list_array" in profile.limits,
    }
    every = {**{f"on {name}": told for name, told in handlers.items()}, **attributes, **actions}
    return Offers(
        _those(handlers, True), _those(attributes, True), _those(actions, True), _those(every, False), profile.limits
    )


def _those(found: dict[str, bool], has: bool) -> tuple[str, ...]:
    return tuple(name for name, offered in found.items() if offered is has)
