"""Builds a policy's simulator: generated C and the native driver, compiled for this machine and cached."""

from __future__ import annotations

from pathlib import Path

from cpol.compiler import ir
from cpol.compiler.backend import invariants
from cpol.compiler.toolchain.native import COMMON, INCLUDE, OPTIMISED, SHARED, compile_cached

NATIVE = INCLUDE.parent / "native"

QUICKLY = ("-O1",)
"""After the flags of a build for speed: to compile one of single events would take longer than its events do."""


def build(
    policy: ir.Policy,
    code: str | None = None,
    *,
    events: bool = False,
    named: bool = False,
    steps: bool = False,
    checks: bool = False,
) -> Path:
    """The path of the simulator's shared object. `events` selects the build with single events and
    the log, `named` the one for traces of folios with a file, `steps` one that counts the steps of scans, `checks` one
    that stops a trace where an invariant does not hold. `code` is what `generate` returns for the policy, if
    that is known.

    Raises:
        ToolError: there is no compiler, or the cache cannot be used.
    """
    chosen = {"CPOL_EVENTS": events, "CPOL_NAMED": named, "CPOL_STEPS": steps}
    kind = tuple(f"-D{name}=1" for name, wanted in chosen.items() if wanted)
    if events:
        kind += QUICKLY
    if checks:
        policy = invariants.with_function(policy)
        kind += (f"-DCPOL_BROKEN={invariants.CALL}",)
        code = None
    if code is None:
        from cpol.compiler.backend.c import generate  # which takes longer to import than a short trace to run

        code = generate(policy)
    flags = (*COMMON, *OPTIMISED, *SHARED, *kind)
    return compile_cached(code, "policy", flags, (INCLUDE / "cpol", NATIVE))
