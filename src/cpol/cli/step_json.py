"""A step of `cpolc step` as one line of JSON (keys: docs/checking.md)."""

from __future__ import annotations

import json

from cpol.compiler.literals import plain_value
from cpol.runtime.explore.step.session import Session, Step
from cpol.runtime.machine.interp.explain import show_name


def as_json(step: Step, session: Session) -> str:
    """The step that the session took last, and the lists and states after it."""
    machine = session.machine
    facts = {
        "event": step.number,
        "what": step.event,
        "ran": [{"line": pos.line, "column": pos.column} for pos in step.ran],
        "decisions": step.decisions,
        "logged": step.differs,
        "changes": step.changes,
        "lists": {
            label: [show_name(*folio.name) for folio in folios]
            for label, folios in machine.lists.items()
            if folios or "." not in label
        },
        "states": {state.name: plain_value(machine.state[state.name], state.type) for state in session.policy.states},
        "problem": step.problem,
    }
    return json.dumps(facts)
