"""What a check tries: a machine's settings, and a sequence of things that happen to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from hypothesis import strategies as st

from cpol.compiler import ir
from cpol.compiler.ir import MAX_BATCH
from cpol.runtime.interp import DELETED, EVICTED, Folio, Machine, MachineError
from cpol.runtime.interp.inputs import Setting

MAX_CAPACITY = 12
MAX_KEY = 40
"""Few names and small caches: whatever can go wrong between folios then does so within few events."""


@dataclass(frozen=True)
class Request:
    """A request of a trace."""

    key: int


@dataclass(frozen=True)
class Readahead:
    """A folio of some pages comes in, and is not read yet. Nothing if it is there, or larger than the cache."""

    key: int
    pages: int


@dataclass(frozen=True)
class Delete:
    """Truncation of a folio, if it is there."""

    key: int


@dataclass(frozen=True)
class Pressure:
    """An evict request that no miss asks for; proposal k is refused when bit k of `refusals` is set."""

    wanted: int
    refusals: int


Action: TypeAlias = Request | Readahead | Delete | Pressure


@dataclass(frozen=True)
class Scenario:
    capacity: int
    batch: int
    params: dict[str, int]
    actions: list[Action]


class StarvationError(MachineError):
    """A request got nothing although the policy owns folios: in a kernel, its own reclaim would take over."""


class CheckedMachine(Machine):
    """Does not fall back, but fails. Enters itself into `register` before anything can fail."""

    def __init__(
        self,
        register: list[Machine],
        policy: ir.Policy,
        capacity: int,
        params: Mapping[str, int | str],
        batch: int,
        seed: int = 1,
        inputs: Iterable[Setting] = (),
    ) -> None:
        register.append(self)
        super().__init__(policy, capacity, params, batch, seed, inputs)

    def evict(self, wanted: int) -> list[Folio]:
        proposals = super().evict(wanted)
        if not proposals and self.size:
            handler = self.policy.handlers["evict"]
            raise StarvationError(
                f"{self.policy.path}:{handler.pos.line}: evict proposed nothing in {ir.EVICT_ROUNDS} calls, "
                f"though the policy owns {self.size} page{'s'[: self.size != 1]}"
            )
        return proposals


def perform(action: Action, machine: Machine) -> None:
    match action:
        case Request(key):
            machine.request(0, key)
        case Readahead(key, pages):
            if (0, key) in machine.cache or pages > machine.capacity:
                return
            machine.missed(0, key)
            while machine.size + pages > machine.capacity:
                machine.make_room(min(machine.batch, machine.capacity))
            machine.added(0, key, pages)
        case Delete(key):
            if (0, key) in machine.cache:
                machine.removed(0, key, DELETED)
        case Pressure(wanted, refusals):
            for number, folio in enumerate(machine.evict(wanted)):
                if refusals >> number & 1:
                    machine.refused(*folio.name)
                else:
                    machine.removed(*folio.name, EVICTED)


def drain(machine: Machine) -> None:
    """Requests until nothing is owned. Each makes progress, or a CheckedMachine raises StarvationError."""
    while machine.size:
        machine.make_room(machine.batch)


# Hypothesis shrinks towards the first alternative and the lowest numbers: towards few plain requests.

KEYS = st.integers(0, 3) | st.integers(0, 15) | st.integers(0, MAX_KEY)  # some are requested more often
REQUESTS = st.builds(Request, KEYS)
ACTIONS: st.SearchStrategy[Action] = st.one_of(
    REQUESTS,
    REQUESTS,
    REQUESTS,
    st.builds(Readahead, KEYS, st.sampled_from([1, 1, 2, 4])),
    st.builds(Delete, KEYS),
    st.builds(Pressure, st.integers(1, MAX_BATCH), st.just(0) | st.integers(0, 2**MAX_BATCH - 1)),
)


def params(policy: ir.Policy) -> st.SearchStrategy[dict[str, int]]:
    """The defaults, or raw values within the ranges, often at their ends."""
    return st.just({param.name: param.default for param in policy.params}) | st.fixed_dictionaries(
        {
            param.name: st.sampled_from([param.default, param.low, param.high]) | st.integers(param.low, param.high)
            for param in policy.params
        }
    )


# Hypothesis makes lists of five items on average. Two levels make sequences that fill a cache, and still shrink well.
SEQUENCES = st.lists(st.lists(ACTIONS)).map(lambda runs: list(chain.from_iterable(runs)))


def scenarios(policy: ir.Policy) -> st.SearchStrategy[Scenario]:
    return st.builds(
        Scenario, st.integers(1, MAX_CAPACITY), st.just(1) | st.integers(1, MAX_BATCH), params(policy), SEQUENCES
    )
