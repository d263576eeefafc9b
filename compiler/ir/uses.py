"""Features that a policy uses. Executors leave out the others."""

from __future__ import annotations

from typing import NamedTuple

from cpol.compiler import ir
from cpol.compiler.ir import walk
from cpol.compiler.vocabulary.around import CACHE, TASK
from cpol.compiler.vocabulary.folio import READ_OF_FOLIOS
from cpol.compiler.vocabulary.request import ASKED_OF_FILES, ASKED_OF_MEMORY


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
    readers: bool  # reads how often a file is open for reading
    unread: bool  # reads whether a folio was accessed since it came
    names: bool  # reads the file or the index of a folio, or a hash of both
    candidates: bool  # `evict lowest`
    rotation: bool  # a scan moves folios
    variables: bool  # numbers that the verifier must not know: `var`, and what an `if` chooses
    pins: bool  # has a quota of pinned pages
    keeps: bool  # has a quota of pages that it keeps from swap
    reclaim: bool  # asks for evictions


_known: list[tuple[ir.Policy, Uses]] = []
"""The last answer. A search makes hundreds of machines for one policy."""


def of(policy: ir.Policy) -> Uses:
    """The features that `policy` uses."""
    if not _known or _known[0][0] is not policy:
        _known[:] = [(policy, _of(policy))]
    return _known[0][1]


def _needs(expr: ir.Expr) -> tuple[str, ...]:
    """The features that an attribute needs, by its record."""
    match expr:
        case ir.FolioAttr(_, attr):
            return READ_OF_FOLIOS[attr].features
        case ir.TaskAttr(attr):
            return TASK[attr].features
        case ir.CacheAttr(attr):
            return CACHE[attr].features
        case ir.FaultAttr(attr):
            return ASKED_OF_MEMORY[attr].features
        case ir.RequestAttr(attr):
            return ASKED_OF_FILES[attr].features
        case _:
            return ()


def _of(policy: ir.Policy) -> Uses:
    read = list(walk.all_expressions(policy))
    done = [statement for body in walk.bodies(policy) for statement in walk.statements(body)]
    needed = {feature for e in read for feature in _needs(e)}
    return Uses(
        clock=walk.uses_clock(policy),
        time=walk.uses_time(policy),
        task="task" in needed or any(ghost.key == "task" for ghost in policy.ghosts),
        writes="writes" in needed,
        random=any(isinstance(e, ir.Random) for e in read),
        leave=any(isinstance(statement, ir.Leave) for statement in done),
        list_array=bool(policy.list_arrays),
        records=any(ghost.fields for ghost in policy.ghosts),
        live=any(param.live for param in policy.params),
        sizes="sizes" in needed or any(isinstance(e, ir.ListSize) for e in read),
        folio_list="folio_list" in needed,
        flags="flags" in needed,
        origin="origin" in needed,
        cgroup="cgroup" in needed,
        readers="readers" in needed,
        unread="unread" in needed,
        names="names" in needed
        or any(isinstance(e, ir.Hash) for e in read)
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
        reclaim=any(isinstance(statement, ir.WantEviction) for statement in done),
    )
