"""Kernel interfaces that BPF objects are compiled for."""

from __future__ import annotations

from dataclasses import dataclass

LAYERS: dict[str, tuple[str, ...]] = {"": (), "upstream": ("-DCPOL_UPSTREAM",)}
"""clang flags for each layer of headers in runtime/machine/include/cpol."""


@dataclass(frozen=True)
class Target:
    """A kernel interface. `layer` is a key of LAYERS, empty for our own interface.

    `profile` names the kernel profile if the layer is not our own.
    """

    layer: str = ""
    profile: str = ""

    @property
    def flags(self) -> tuple[str, ...]:
        return LAYERS[self.layer]

    @property
    def every_access(self) -> bool:
        """Whether the kernel reports a folio's first access to policies that do not handle it."""
        return bool(self.layer)


CACHE_EXT_TARGET = Target()
"""Our own interface, for the patched kernel and for the module: one object runs on both."""
