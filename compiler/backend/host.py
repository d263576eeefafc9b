"""Builds a policy's simulator: generated C and the native driver, compiled for this machine and cached."""

from __future__ import annotations

from pathlib import Path

from cpol.compiler import ir
from cpol.compiler.backend.c import generate
from cpol.compiler.toolchain.native import COMMON, INCLUDE, OPTIMISED, SHARED, compile_cached

NATIVE = INCLUDE.parent / "native"


def build(policy: ir.Policy, *, events: bool = False) -> Path:
    """The path of the simulator's shared object. `events` selects the build with single events and
    the log.

    Raises:
        ToolError: there is no compiler, or the cache cannot be used.
    """
    flags = (*COMMON, *OPTIMISED, *SHARED, *(("-DCPOL_EVENTS=1",) if events else ()))
    return compile_cached(generate(policy), "policy", flags, (INCLUDE / "cpol", NATIVE))
