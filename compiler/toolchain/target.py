"""Which kernel interface an object is for."""

from __future__ import annotations

from dataclasses import dataclass

LAYERS: dict[str, tuple[str, ...]] = {"": (), "upstream": ("-DCPOL_UPSTREAM",)}
"""What clang is told, by the layer of headers in runtime/include/cpol that generated C is compiled against."""


@dataclass(frozen=True)
class Target:
    """`layer`: one of LAYERS, empty for our own interface; `profile`: what an object for another is compiled for."""

    layer: str = ""
    profile: str = ""

    @property
    def flags(self) -> tuple[str, ...]:
        return LAYERS[self.layer]


CACHE_EXT_TARGET = Target()
"""Both mounts of kernel/cache_ext: one object runs on either."""
