"""Features that a policy uses. Executors leave out the others."""

from __future__ import annotations

from typing import NamedTuple

from cpol.compiler import ir
from cpol.compiler.ir import walk
from cpol.compiler.types import FOLIO_FLAGS, FOLIO_ORIGIN


class Uses(NamedTuple):
    """One flag per feature. Each becomes `CPOL_USES_…` (0 or 1) in generated C."""

    clock: bool
    time: bool
    task: bool
    writes: bool  # reads whether a request writes
    random: bool
    leave: bool
    list_array: bool
    records: bool  # ghost entries have fields
    live: bool  # some params change while the policy runs
    sizes: bool  # reads the size of a list or the cache, or the capacity
    folio_list: bool  # reads which list a folio is on
    flags: bool  # reads whether a folio is dirty, under writeback, mapped
    origin: bool  # reads the device or the cgroup of a folio
    cgroup: bool  # reads the cgroup
    unread: bool  # reads whether a folio was accessed since it came
    names: bool  # reads the file or the index of a folio, or a hash of both
    candidates: bool  # `evict lowest`
    rotation: bool  # a scan moves folios
    variables: bool  # numbers that the verifier must not know: `var`, and what an `if` chooses
    pins: bool  # has a quota of pinned pages
    keeps: bool  # has a quota of pages that it keeps from swap


_known: list[tuple[ir.Policy, Uses]] = []
"""The last answer. A search makes hundreds of machines for one policy."""


def of(policy: ir.Policy) -> Uses:
    """The features that `policy` uses."""
    if not _known or _known[0][0] is not policy:
        _known[:] = [(policy, _of(policy))]
    return _known[0][1]


def _of(policy: ir.Policy) -> Uses:
    read = list(walk.all_expressions(policy))
    done = [statement for body in walk.bodies(policy) for statement in walk.statements(body)]
    return Uses(
        clock=walk.uses_clock(policy),
        time=walk.uses_time(policy),
        task=any(isinstance(e, ir.TaskAttr) and e.attr != "writes" for e in read)
        or any(isinstance(e, ir.FaultAttr) and e.attr in ("process", "comm") for e in read)
        or any(ghost.key == "task" for ghost in policy.ghosts),
        writes=any(isinstance(e, ir.TaskAttr) and e.attr == "writes" for e in read),
        random=any(isinstance(e, ir.Random) for e in read),
        leave=any(isinstance(statement, ir.Leave) for statement in done),
        list_array=bool(policy.list_arrays),
        records=any(ghost.fields for ghost in policy.ghosts),
        live=any(param.live for param in policy.params),
        sizes=any(
            isinstance(e, ir.ListSize) or (isinstance(e, ir.CacheAttr) and e.attr in ("size", "capacity")) for e in read
        ),
        folio_list=any(isinstance(e, ir.FolioAttr) and e.attr == "list" for e in read),
        flags=any(isinstance(e, ir.FolioAttr) and e.attr in FOLIO_FLAGS for e in read),
        origin=any(isinstance(e, ir.FolioAttr) and e.attr in FOLIO_ORIGIN for e in read),
        cgroup=any(isinstance(e, ir.FolioAttr) and e.attr == "cgroup" for e in read),
        unread=walk.reads_unread(policy),
        names=any(isinstance(e, ir.Hash) or (isinstance(e, ir.FolioAttr) and e.attr in ("file", "index")) for e in read)
        or any(isinstance(e, ir.InputHas | ir.InputGet) and e.key is None for e in read)
        or any(ghost.key == "file" for ghost in policy.ghosts),
        candidates=any(isinstance(statement, ir.EvictByScore) for statement in done),
        rotation=any(
            isinstance(inner, ir.Move)
            for statement in done
            if isinstance(statement, ir.Scan)
            for inner in walk.statements(statement.body)
        ),
        variables=walk.hides(policy),
        pins=policy.pin is not None,
        keeps=policy.keep is not None,
    )
