"""What the model asks a prefetch policy, and what the policy answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias

from cpol.compiler.comm import Comm


@dataclass(frozen=True, slots=True)
class Fault:
    """A swap fault: `p` of `on fault` and `on prefetch`."""

    page: int
    slot: int
    slots: int  # of the device
    device: int
    first: int  # pages of the area
    last: int
    window: int  # pages that the kernel's own readahead reads at most
    cached: bool
    prefetched: bool
    process: int
    thread: int
    comm: Comm
    time_ms: int


@dataclass(frozen=True, slots=True)
class Readahead:
    """A request for readahead of a file: `r` of `on readahead`."""

    file: int
    index: int
    wanted: int
    start: int  # what the kernel's own readahead would read
    window: int
    size: int  # pages of the file
    sequential: bool
    marker: bool
    process: int
    thread: int
    comm: Comm
    time_ms: int


@dataclass(frozen=True, slots=True)
class Out:
    """A page that is about to go out to swap: `p` of `on swap`."""

    page: int
    first: int  # pages of the area
    last: int
    workingset: bool
    process: int  # whose it is
    comm: Comm
    time_ms: int


Outcome: TypeAlias = Literal["goes", "kept", "refused"]
"""What becomes of a page that is about to go out. `refused`: it goes, since the quota is spent."""


class Target(NamedTuple):
    """A page to read: by its slot, its virtual page, or its index in the file."""

    kind: Literal["slot", "page", "index"]
    number: int


@dataclass(frozen=True, slots=True)
class Decision:
    """What a handler recorded, in order and after drops, and whether the kernel's own prefetching runs, too."""

    targets: tuple[Target, ...] = ()
    defaulted: bool = False


NOTHING = Decision()
DEFAULT = Decision(defaulted=True)
"""The answer of a policy without the handler."""


class Prefetcher(Protocol):
    """A policy, asked in the order of events."""

    def fault(self, fault: Fault) -> None:
        """Each swap fault, before `prefetch`."""

    def prefetch(self, fault: Fault) -> Decision:
        """A swap fault that must read."""

    def readahead(self, request: Readahead) -> Decision:
        """A page of a file is missing, or a marker was reached."""

    @property
    def has_swap(self) -> bool:
        """Whether it is asked about pages that go out."""

    def swap(self, out: Out) -> Outcome:
        """A page is about to go out to swap. Only if `has_swap`."""


@dataclass(frozen=True, slots=True)
class Nobody:
    """Always the same answer: `Nobody(NOTHING)` reads nothing ahead, `Nobody(DEFAULT)` is the kernel alone."""

    answer: Decision

    def fault(self, fault: Fault) -> None:
        """Remembers nothing."""

    def prefetch(self, fault: Fault) -> Decision:
        return self.answer

    def readahead(self, request: Readahead) -> Decision:
        return self.answer

    @property
    def has_swap(self) -> bool:
        return False

    def swap(self, out: Out) -> Outcome:
        return "goes"
