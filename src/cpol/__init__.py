"""cpol: a declarative language for Linux page-cache policies. CONTRIBUTING.md says what a new version promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cpol.version import LANGUAGE_VERSION as LANGUAGE_VERSION
from cpol.version import __version__ as __version__

if TYPE_CHECKING:
    from cpol.api import Checked as Checked
    from cpol.api import CompileError as CompileError
    from cpol.api import Curve as Curve
    from cpol.api import Machine as Machine
    from cpol.api import MachineError as MachineError
    from cpol.api import Policy as Policy
    from cpol.api import Runs as Runs
    from cpol.api import SimulationError as SimulationError
    from cpol.api import Step as Step
    from cpol.api import ToolError as ToolError
    from cpol.api import Trace as Trace
    from cpol.api import TraceError as TraceError
    from cpol.api import Tuned as Tuned
    from cpol.api import UserError as UserError
    from cpol.api import check as check
    from cpol.api import mrc as mrc
    from cpol.api import simulate as simulate
    from cpol.api import tune as tune

__all__ = [
    "Checked",
    "CompileError",
    "Curve",
    "Machine",
    "MachineError",
    "Policy",
    "Runs",
    "SimulationError",
    "Step",
    "ToolError",
    "Trace",
    "TraceError",
    "Tuned",
    "UserError",
    "check",
    "mrc",
    "simulate",
    "tune",
]
"""The Python interface (docs/python.md)."""


def __getattr__(name: str) -> Any:
    """A name of the interface, once somebody asks for it: `cpolc --version` needs none of it."""
    if name not in __all__:
        raise AttributeError(f"module 'cpol' has no attribute {name!r}")
    from cpol import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
