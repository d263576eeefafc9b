"""Policies that prefetch pages of files: what they would read, and how often a request would wait for the disk.

They run on the model of prefetching (docs/prefetch-model.md), with memory as Linux keeps it. The model of the kernel's
own readahead runs beside them. If that is off from what the machine did, nothing is said of the policies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from cpol.compiler.compiled import Compiled, compiled
from cpol.compiler.policies import resolve, stdlib_names
from cpol.runtime.machine.settings.assumed import NOTHING
from cpol.runtime.simulate.advise.asked import Asked, asked
from cpol.runtime.simulate.advise.choices import DEFAULTS, NO_OWN, Choice
from cpol.runtime.simulate.advise.played import USUAL, model_of
from cpol.runtime.simulate.advise.proposals import Proposal
from cpol.runtime.simulate.runs.candidates import Candidate
from cpol.runtime.simulate.runs.inputs import inputs_of
from cpol.runtime.simulate.runs.prefetch import Contender, built_in, native
from cpol.runtime.simulate.traces import Trace

OFF = 0.1
"""If the model differs from the machine by a larger share, in disk reads or in waits, no policy is judged."""

LEAST = 400
"""With fewer waits, any share of them is chance."""

Able = tuple[str, Compiled, Proposal | None]
"""A policy that the model can run, by its name, and what it would be told."""


class Ahead(NamedTuple):
    """A policy that prefetches: requests that wait, since a page is missing, and pages from the disk.

    `waits` of the machine and of the policies are of the same requests, those of the whole recording or of its first
    MOST.
    """

    name: str
    waits: int
    reads: int


class Prefetching(NamedTuple):
    """What was found. `why` tells why `rows` has none; it is empty if there are some."""

    machine: Ahead | None
    kernel: Ahead | None
    """The model of the kernel's own readahead; None: it did not run."""
    rows: list[Ahead]
    why: str
    requests: int = 0


def able(names: Sequence[str], proposed: Sequence[Proposal], own: Mapping[str, Compiled] = NO_OWN) -> list[Able]:
    """The policies whose handlers the model runs: of the stdlib, or as asked for.

    One with inputs needs a proposal. One that also decides what becomes of pages that were read (`on read`) does not
    run in the model.
    """
    by_policy = {each.policy: each for each in proposed}
    found = []
    for name in dict.fromkeys(names or stdlib_names()):
        made = own[name] if name in own else compiled(resolve(name))
        handlers = made.policy.handlers
        proposal = by_policy.get(name)
        if "readahead" in handlers and "read" not in handlers and (proposal or not made.policy.inputs):
            found.append((name, made, proposal))
    return found


def heard(trace: Trace) -> Asked | str | None:
    """The requests of a recording as the model of prefetching reads them, or why it cannot; None: it is no recording.

    Raises:
        TraceError: it changed meanwhile.
    """
    if trace.format != "record":
        return None
    if not trace.asks:
        return "the recording does not tell what requests asked for"
    return asked(trace.path) if trace.path.is_file() else "the recording cannot be read again"


def prefetching(
    requests: Asked | str | None, policies: Sequence[Able], show: Callable[[str], None]
) -> Prefetching | None:
    """What policies that prefetch would do on a recording; None: there is none of them, or it is no recording."""
    if not policies or requests is None:
        return None
    return Prefetching(None, None, [], requests) if isinstance(requests, str) else judged(requests, policies, show)


def judged(requests: Asked, policies: Sequence[Able], show: Callable[[str], None]) -> Prefetching:
    """Run the kernel's readahead, and the policies if that is near the machine."""
    machine = Ahead("the machine", requests.missed, requests.reads)
    if machine.waits < LEAST:
        return Prefetching(machine, None, [], f"requests waited {machine.waits:,} times; under {LEAST:,} tells nothing")
    show("readahead: the kernel's own")
    kernel = run(requests, built_in("default"))
    if (off := max(abs(kernel.waits / machine.waits - 1), abs(kernel.reads / max(1, machine.reads) - 1))) > OFF:
        return Prefetching(machine, kernel, [], f"the model of the kernel's own readahead is off by {off:.0%}")
    rows = []
    for name, made, proposal in policies:
        show(f"readahead: {name}")
        texts = () if proposal is None or not proposal.input else (f"{proposal.input}={','.join(proposal.keys)}",)
        candidate = Candidate(name, made, {}, inputs_of(texts, [made.policy])[0], name, {})
        rows.append(run(requests, native(candidate, USUAL.seed, NOTHING)))
    return Prefetching(machine, kernel, sorted(rows, key=lambda row: row.waits), "", len(requests.rows.rows))


def run(requests: Asked, contender: Contender) -> Ahead:
    """Memory is as Linux keeps it."""
    lru = Choice(DEFAULTS[0], compiled(resolve(DEFAULTS[0])), {})
    counts = model_of(lru, requests, USUAL.seed, contender).run().files
    return Ahead(contender.label, counts.missed, counts.pages_read)
