"""Disk reads of policies that evict, where the kernel's readahead is played anew, beside what they cache.

What is cached decides what readahead does, so under another policy it brings other pages. Each run takes seconds, so
only the default and the first policies are run so.
"""

from __future__ import annotations

from typing import NamedTuple

from cpol.runtime.simulate.advise.asked import Asked
from cpol.runtime.simulate.advise.charge import with_nodes
from cpol.runtime.simulate.advise.choices import DEFAULTS, NEVER_TOLD, Choice
from cpol.runtime.simulate.advise.governed import TOLD, Governed
from cpol.runtime.simulate.prefetch.medium import Medium
from cpol.runtime.simulate.prefetch.model import Model
from cpol.runtime.simulate.runs.capacity import PAGE
from cpol.runtime.simulate.runs.inputs import inputs_of
from cpol.runtime.simulate.runs.prefetch import KERNELS, Contender, Machine, built_in

USUAL = Machine(None, None, None, 1)
"""The disk. Whoever asks a policy that prefetches learns when a read ends; what is read does not depend on it."""

NAMES = frozenset(("file", "page"))


class Played(NamedTuple):
    """Disk reads in the half that chooses, and in the half that judges."""

    chosen_by: int
    reads: int

    @property
    def whole(self) -> int:
        return self.chosen_by + self.reads


def can_play(choice: Choice) -> bool:
    """Whether the model tells the policy what it reads of its surroundings."""
    return not choice.is_beside and {read.fact for read in choice.compiled.reads} <= TOLD | NAMES | NEVER_TOLD


def memory_of(choice: Choice, requests: Asked, seed: int) -> Governed:
    """Memory under the policy. It is charged for a node beside each page; the models of the kernel's own are not."""
    told = choice.proposal
    texts = () if told is None else (f"{told.input}={','.join(told.keys)}",)
    share = 100 if choice.name in DEFAULTS else with_nodes(100, choice.policy, PAGE)
    return Governed(choice, requests.rooms, share, seed, inputs_of(texts, [choice.policy])[0])


def model_of(choice: Choice, requests: Asked, seed: int, contender: Contender | None = None) -> Model:
    """A run in which the policy evicts, and another one reads ahead; None: the kernel does."""
    most = max(pages for _, pages in requests.rooms)
    policy = (contender or built_in("default")).make(most, requests.rows)
    medium, memory = Medium(USUAL.latency_ns, USUAL.bytes_a_second), memory_of(choice, requests, seed)
    return Model(requests.rows, most, medium, policy, KERNELS[USUAL.readahead](), memory=memory, before=memory.before)


def played(choice: Choice, requests: Asked, half: int, seed: int) -> Played:
    """Run the policy.

    Args:
        half: the row at which the second half begins.

    Raises:
        SimulationError, ToolError: the policy cannot be compiled, or run.
    """
    model = model_of(choice, requests, seed)
    first = model.run(half).files.pages_read
    return Played(first, model.run().files.pages_read - first)
