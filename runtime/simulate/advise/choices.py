"""The policies that a recording can judge, each with its settings, and what each reads from the disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import Lock
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from cpol.compiler.compiled import Compiled, compiled
from cpol.compiler.ir import Policy
from cpol.compiler.literals import show_value
from cpol.compiler.policies import resolve, stdlib_names
from cpol.runtime.machine.settings.assumed import NOTHING
from cpol.runtime.simulate.advise.blocks import Blocks
from cpol.runtime.simulate.advise.charge import with_nodes
from cpol.runtime.simulate.advise.proposals import Proposal
from cpol.runtime.simulate.runs.candidates import Candidate, Params
from cpol.runtime.simulate.runs.capacity import PAGE
from cpol.runtime.simulate.runs.evict import Setup, of_room
from cpol.runtime.simulate.runs.inputs import inputs_of
from cpol.runtime.simulate.runs.jobs import Task, completed

DEFAULTS = ("linux_lru", "mglru")
"""The models of what the kernel does without a policy."""

IDLE = ("noop", "admit")
"""Policies that leave all folios to the kernel: their misses are those of the machine's fallback, not of a policy."""

BY_PROPOSAL = frozenset(("backup", "drop_behind", "random_access", "replay"))
"""Policies that do not evict, and are judged, or named, only where a recording suggests them."""

NEVER_TOLD = frozenset(("mapped", "writeback", "device", "cgroup", "unread"))
"""Facts that no trace tells; a policy that reads them is run all the same, as by `cpolc sim`."""

NO_OWN: Mapping[str, Compiled] = MappingProxyType({})

T = TypeVar("T")


class Choice(NamedTuple):
    """A policy with its settings. `params` are those that are not the default's, as raw values."""

    name: str
    compiled: Compiled
    params: Params
    proposal: Proposal | None = None

    @property
    def policy(self) -> Policy:
        return self.compiled.policy

    @property
    def is_beside(self) -> bool:
        """Whether the kernel's default evicts, beside what the policy does."""
        return self.proposal is not None and self.proposal.is_beside

    @property
    def texts(self) -> dict[str, str]:
        """Its params, as a policy writes them."""
        types = {param.name: param.type for param in self.policy.params}
        return {name: show_value(int(value), types[name]) for name, value in self.params.items()}

    @property
    def settings(self) -> str:
        """Its params in a line, each as `--set` takes it."""
        return " ".join(f"{name}={text}" for name, text in self.texts.items())


class Left(NamedTuple):
    """A policy that was not run, and why."""

    name: str
    why: str


def choices(
    carries: frozenset[str],
    proposed: Sequence[Proposal],
    names: Sequence[str] = (),
    own: Mapping[str, Compiled] = NO_OWN,
) -> tuple[list[Choice], list[Left]]:
    """The policies that a trace that tells so much can judge, and the others.

    Args:
        names: those that are asked for, of the stdlib or by path; none: all of the stdlib.
        own: those of these names that are in no file.

    Raises:
        UserError: there is no such policy.
        ToolError: the cache of compiled policies cannot be used.
    """
    by_policy = {each.policy: each for each in proposed}
    found, left = list[Choice](), list[Left]()
    for name in dict.fromkeys((*DEFAULTS, *(names or stdlib_names()))):
        made = own[name] if name in own else compiled(resolve(name))
        proposal = by_policy.get(name)
        lacks = sorted({read.fact for read in made.reads} - carries - NEVER_TOLD)
        if proposal is not None and proposal.is_beside:
            found.append(Choice(name, compiled(resolve(DEFAULTS[0])), {}, proposal))
        elif not made.policy.evicts and name in BY_PROPOSAL:
            left.append(Left(name, "the recording suggests nothing for it that a run can judge"))
        elif not made.policy.evicts:
            left.append(Left(name, "it does not evict; cpolc sim has a model of prefetching"))
        elif made.uses.reclaim:
            left.append(Left(name, "it lets pages go that fit, so it reads more; it is for a smaller cache"))
        elif name in IDLE:
            left.append(Left(name, "it leaves evicting to the kernel"))
        elif made.policy.inputs and proposal is None:
            left.append(Left(name, "the recording suggests nothing for its inputs"))
        elif lacks:
            left.append(Left(name, f"the trace does not tell {', '.join(lacks)}"))
        else:
            found.append(Choice(name, made, {}, proposal))
    return found, left


class Runs:
    """Runs choices on the blocks of a trace.

    Args:
        pages: the capacity, if it follows no room.
    """

    def __init__(self, blocks: Blocks, pages: int, batch: int, seed: int, jobs: int) -> None:
        self.blocks, self.pages, self.batch, self.seed, self.jobs = blocks, pages, batch, seed, jobs
        self._locks: dict[int, Lock] = {}

    def reads(self, choice: Choice, percent: int = 100, blocks: int | None = None) -> list[int]:
        """The disk reads in each block, with so much of the capacity. `blocks`: only so many are run."""
        proposal = choice.proposal
        if proposal is not None and proposal.aside is not None:
            return self._simulate(choice, self.blocks.passing(proposal.aside), [], percent, blocks)
        if proposal is not None and proposal.unbrought is not None:
            kept = bytes(1 - each for each in proposal.unbrought)
            return self._simulate(choice, self.blocks.without(kept), [], percent, blocks)
        texts = [] if proposal is None else [f"{proposal.input}={','.join(proposal.keys)}"]
        return self._simulate(choice, self.blocks, texts, percent, blocks)

    def _simulate(
        self, choice: Choice, part: Blocks, texts: Sequence[str], percent: int, blocks: int | None
    ) -> list[int]:
        first = part.room.first if part.room else self.pages
        share = percent if self._is_kernels(choice) else with_nodes(percent, choice.policy, PAGE)
        candidate = Candidate(
            choice.name, choice.compiled, choice.params, inputs_of(tuple(texts), [choice.policy])[0], choice.name, {}
        )
        setup = Setup(candidate, self.batch, self.seed, NOTHING, False)
        with self._locks.setdefault(id(choice.compiled), Lock()):  # it is built once
            simulator = setup.simulator(part.trace, of_room(first, share))
        return part.reads(simulator, share, blocks)

    @staticmethod
    def _is_kernels(choice: Choice) -> bool:
        """Whether it stands for what the kernel does, which keeps no nodes."""
        return choice.name in DEFAULTS or choice.is_beside

    def all(self, some: Sequence[Choice], show: Callable[[str], None]) -> list[list[int]]:
        """The disk reads of each, several at a time."""
        return self.beside([Task(choice.name, partial(self.reads, choice)) for choice in some], show)

    def beside(self, tasks: Sequence[Task[T]], show: Callable[[str], None]) -> list[T]:
        """The result of each task."""
        ended = completed(tasks, self.jobs, show)
        try:
            return [result for _, result in sorted(ended, key=lambda each: each[0])]
        finally:
            ended.close()
