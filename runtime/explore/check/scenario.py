"""The scenarios of a check: a machine's settings, and a sequence of actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeAlias

from hypothesis import strategies as st

from cpol.compiler import ir
from cpol.compiler.comm import UNKNOWN, Comm
from cpol.compiler.ir import MAX_BATCH
from cpol.compiler.types import raw_range
from cpol.compiler.vocabulary.folio import FOLIO_FLAGS
from cpol.runtime.explore.check import asking
from cpol.runtime.explore.check.steps import read_ahead
from cpol.runtime.explore.check.traits import COMMANDS, Traits, nodes, traits
from cpol.runtime.machine.events import Op
from cpol.runtime.machine.events.prefetch import Fault, Out, Range
from cpol.runtime.machine.events.prefetch import Request as FileRequest
from cpol.runtime.machine.interp import DELETED, EVICTED, Machine
from cpol.runtime.machine.settings.inputs import Setting, show, value_type

MAX_CAPACITY = 12
MAX_KEY = 40
"""Few names and small caches, so that folios interact within few events."""

MOST_OF_A_SEED = 100
"""Actions. A policy's test may have thousands: it runs whole once, and parts of it come a hundred times."""

ALL_FLAGS = (1 << len(FOLIO_FLAGS)) - 1
MAX_TASK = 3
MAX_FILE = 2
MAX_READERS = 3
MAX_MS = 2**40
"""The longest time between two ticks, in milliseconds."""


@dataclass(frozen=True)
class Request:
    """A request of a trace."""

    key: int
    file: int = 0


@dataclass(frozen=True)
class Readahead:
    """A folio of some pages comes in unread; nothing happens if it is cached, or larger than the cache."""

    key: int
    pages: int
    file: int = 0


@dataclass(frozen=True)
class Delete:
    """Truncation removes a folio, if it is cached."""

    key: int
    file: int = 0


@dataclass(frozen=True)
class Pressure:
    """An evict request without a miss. Proposal k is refused if bit k of `refusals` is set."""

    wanted: int
    refusals: int


@dataclass(frozen=True)
class Grow:
    """The cache may hold so many pages from here on, more or fewer than before."""

    pages: int


@dataclass(frozen=True)
class Pass:
    """A tick comes after `ms` milliseconds."""

    ms: int


@dataclass(frozen=True)
class Switch:
    """Another task runs."""

    thread: int
    process: int
    comm: Comm = UNKNOWN


@dataclass(frozen=True)
class Become:
    """A folio becomes dirty, clean and so on, if it is cached: it loses the bits `off` and gets the bits `on`."""

    key: int
    off: int
    on: int
    file: int = 0


@dataclass(frozen=True)
class Settle:
    """Folios come from elsewhere, from here on."""

    device: int
    cgroup: int


@dataclass(frozen=True)
class Open:
    """A file is open for reading so often, from here on."""

    file: int
    readers: int


@dataclass(frozen=True)
class Turn:
    """The requests from here on write, or read."""

    writes: bool


@dataclass(frozen=True)
class Touch:
    """A swap fault, and what the policy prefetches if it must read."""

    fault: Fault


@dataclass(frozen=True)
class Ask:
    """A request of file readahead."""

    request: FileRequest


@dataclass(frozen=True)
class Happen:
    """A file was opened, or a range of it read or written."""

    range: Range


@dataclass(frozen=True)
class GoOut:
    """Pages are about to go out to swap."""

    out: Out


Action: TypeAlias = (
    Request | Readahead | Delete | Pressure | Grow | Pass | Switch | Become | Settle | Open | Turn
    | Touch | Ask | Happen | GoOut
)  # fmt: skip


@dataclass(frozen=True)
class Scenario:
    """The settings of a machine, params raw, and what happens to it."""

    capacity: int
    batch: int
    params: dict[str, int]
    actions: list[Action]
    seed: int = 1
    inputs: tuple[Setting, ...] = ()


def perform(action: Action, machine: Machine) -> None:
    """Apply an action to a machine.

    Raises:
        MachineError: the policy breaks a property.
    """
    match action:
        case Request(key, file):
            machine.request(file, key)
        case Readahead(key, pages, file):
            read_ahead(machine, file, key, pages)
        case Delete(key, file):
            if (file, key) in machine.cache or (file, key) in machine.left:
                machine.removed(file, key, DELETED)
        case Pressure() if asked_in_vain(machine):
            pass
        case Pressure(wanted, refusals):
            for number, folio in enumerate(machine.evict(wanted)):
                if refusals >> number & 1:
                    machine.refused(*folio.name)
                else:
                    machine.removed(*folio.name, EVICTED)
        case Grow(pages):
            machine.room(pages)
        case Pass(ms):
            machine.tick(machine.ms + ms)
            machine.reclaim()
        case Switch(thread, process, comm):
            machine.set_task(thread, process, comm)
        case Turn(writes):
            machine.set_writes(writes)
        case Settle(device, cgroup):
            machine.set_origin(device, cgroup)
        case Open(file, readers):
            machine.set_readers(file, readers)
        case Touch(fault):
            machine.fault(fault)
            if not fault.cached:
                machine.prefetch(fault)
        case Ask(request):
            machine.readahead(request)
        case Happen(range):
            machine.happened(range)
        case GoOut(out):
            machine.goes_out(out)
        case Become(key, off, on, file):
            if (file, key) in machine.cache and (file, key) not in machine.left:
                machine.set_flags(file, key, machine.cache[file, key].flags & ~off | on)


def asked_in_vain(machine: Machine) -> bool:
    """Whether no folio has come since an evict request of an empty cache: another would only take time."""
    if machine.cache or machine.left:
        return False
    last = next((row.op for row in reversed(machine.records) if row.op in (Op.EVICT, Op.ADDED)), Op.ADDED)
    return last == Op.EVICT


def drain(machine: Machine) -> None:
    """Make evict requests until the cache is empty. Each must make progress; else a CheckedMachine raises."""
    while machine.occupied:
        machine.make_room(machine.batch)


# Hypothesis shrinks towards the first alternative and the lowest numbers, here towards few plain requests.

KEYS = st.integers(0, 3) | st.integers(0, 15) | st.integers(0, MAX_KEY)  # some are requested more often


def actions(uses: Traits) -> st.SearchStrategy[Action]:
    files = st.just(0) | st.integers(0, MAX_FILE) if uses.files else st.just(0)
    requests = st.builds(Request, KEYS, files)
    choices: list[st.SearchStrategy[Action]] = []
    if uses.evicts:
        choices = [
            requests,
            requests,
            requests,
            st.builds(Readahead, KEYS, st.sampled_from([1, 1, 2, 4]), files),
            st.builds(Delete, KEYS, files),
            st.builds(Pressure, st.integers(1, MAX_BATCH), st.just(0) | st.integers(0, 2**MAX_BATCH - 1)),
        ]
    if uses.faults:
        choices.append(st.builds(Touch, asking.faults(st.sampled_from(uses.origins or (0,)))))
    if uses.requests:
        asked = st.just(0) | st.integers(0, MAX_FILE)
        choices.append(st.builds(Ask, asking.requests(asked, st.sampled_from(uses.origins or (0,)))))
    if uses.outs:
        choices.append(st.builds(GoOut, asking.outs()))
    if uses.ranges:
        asked = st.just(0) | st.integers(0, MAX_FILE)
        choices.append(st.builds(Happen, asking.ranges(uses.ranges, asked, st.sampled_from(uses.origins or (0,)))))
    if uses.period_ms:
        period = min(uses.period_ms, MAX_MS)
        choices.append(st.builds(Pass, st.just(period) | st.integers(0, 3 * period)))
    if uses.tasks:
        task = st.integers(0, MAX_TASK)
        commands = [st.sampled_from(uses.commands)] if len(uses.commands) > 1 else []
        choices.append(st.builds(Switch, task, task, *commands))
    if uses.origins and uses.evicts:
        origins = st.sampled_from(uses.origins)
        choices.append(st.builds(Settle, origins, origins))
    if uses.readers:
        choices.append(st.builds(Open, st.integers(0, MAX_FILE), st.integers(0, MAX_READERS)))
    if uses.writes:
        choices.append(st.builds(Turn, st.booleans()))
    if uses.flags:
        flags = st.integers(0, ALL_FLAGS)
        choices.append(st.builds(Become, KEYS, flags, flags, files))
    return st.one_of(choices)


def modest(param: ir.ParamDecl) -> int:
    """The highest value to try, or to try often. Above it loops take long."""
    return min(param.high, max(param.low, 4 * abs(param.default), 16))


def params(policy: ir.Policy) -> st.SearchStrategy[dict[str, int]]:
    """The defaults, or raw values within the ranges, often the ends of the ranges. Those of loops are seldom large."""
    long = lengths(policy)
    return st.just({param.name: param.default for param in policy.params}) | st.fixed_dictionaries(
        {param.name: values(param, param.name in long) for param in policy.params}
    )


def values(param: ir.ParamDecl, is_length: bool) -> st.SearchStrategy[int]:
    anything = st.sampled_from([param.default, param.low, param.high]) | st.integers(param.low, param.high)
    if not is_length:
        return anything
    return st.integers(0, 31).flatmap(lambda turn: anything if turn == 31 else st.integers(param.low, modest(param)))


def lengths(policy: ir.Policy) -> set[str]:
    """The params from which the policy computes how often a loop runs, or how many lists there are."""
    parts = [part for part in nodes(policy) if isinstance(part, ir.For | ir.Scan | ir.EvictByScore)]
    bounds = [part.high if isinstance(part, ir.For) else part.bound for part in parts]
    bounds += [lists.length for lists in policy.list_arrays]
    return {part.name for bound in bounds for part in nodes(bound) if isinstance(part, ir.Param)}


def inputs(policy: ir.Policy) -> st.SearchStrategy[tuple[Setting, ...]]:
    """Up to four settings per input, with keys that scenarios use and any values."""
    return st.tuples(*(st.lists(setting(declaration), max_size=4) for declaration in policy.inputs)).map(
        lambda lists: tuple(chain.from_iterable(lists))
    )


def setting(declaration: ir.InputDecl) -> st.SearchStrategy[Setting]:
    low, high = raw_range(value_type(declaration))
    values = st.just(1) if declaration.value is None else st.sampled_from([low, high, declaration.default])
    if declaration.value is not None:
        values |= st.integers(low, high)
    pages = st.builds(
        lambda file, first, more: (file, first, first + more), st.integers(0, MAX_FILE), KEYS, st.integers(0, MAX_KEY)
    )
    numbers = st.integers(0, max(MAX_TASK, MAX_FILE)).map(lambda number: (number,))
    keys: st.SearchStrategy[tuple[int, ...]] = numbers
    if declaration.size is not None:
        keys = (KEYS | st.sampled_from([0, ir.MAX_TABLE - 1])).map(lambda index: (index,))
        entries = st.lists(values, min_size=1, max_size=MAX_KEY).map(tuple)
        return st.builds(lambda key, some: show(declaration, key, some), keys, entries)
    if declaration.key in ("page", "comm"):
        keys = pages if declaration.key == "page" else st.sampled_from(COMMANDS)
    return st.builds(lambda key, value: show(declaration, key, value), keys, values)


def scenarios(policy: ir.Policy, seeds: Sequence[Scenario] = ()) -> st.SearchStrategy[Scenario]:
    """Scenarios from nothing, and parts of the seeds with other actions around them."""
    uses = traits(policy)
    # Hypothesis makes lists of five items on average. Two levels make sequences that fill a cache, and still shrink.
    sequences = st.lists(st.lists(actions(uses))).map(lambda runs: list(chain.from_iterable(runs)))
    plain = st.builds(
        Scenario,
        st.integers(1, MAX_CAPACITY),
        st.just(1) | st.integers(1, MAX_BATCH),
        params(policy),
        sequences,
        st.just(1) | st.integers(0, 2**64 - 1) if uses.random else st.just(1),
        inputs(policy),
    )
    if not seeds:
        return plain
    longest = max(len(seed.actions) for seed in seeds)
    ends = st.integers(0, longest)
    grown = st.builds(
        lambda seed, before, first, last, after: replace(
            seed, actions=before + seed.actions[first : min(last, first + MOST_OF_A_SEED)] + after
        ),
        st.sampled_from(seeds),
        st.lists(actions(uses)),
        st.just(0) | ends,
        st.just(longest) | ends,
        sequences,
    )
    return plain | grown
