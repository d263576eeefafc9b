"""cpol: a declarative language for Linux page-cache policies. CONTRIBUTING.md says what a new version promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cpol.version import LANGUAGE_VERSION as LANGUAGE_VERSION
from cpol.version import __version__ as __version__

if TYPE_CHECKING:
    from cpol.api import Checked as Checked
    from cpol.api import Curve as Curve
    from cpol.api import Machine as Machine
    from cpol.api import Policy as Policy
    from cpol.api import Runs as Runs
    from cpol.api import Step as Step
    from cpol.api import Trace as Trace
    from cpol.api import Tuned as Tuned
    from cpol.api import check as check
    from cpol.api import mrc as mrc
    from cpol.api import simulate as simulate
    from cpol.api import tune as tune


_INTERFACE = (
    "Checked",
    "Curve",
    "Machine",
    "Policy",
    "Runs",
    "Step",
    "Trace",
    "Tuned",
    "check",
    "mrc",
    "simulate",
    "tune",
)


def __getattr__(name: str) -> Any:
    """The Python interface (docs/python.md), once somebody asks for it: `cpolc --version` needs none of it."""
    if name not in _INTERFACE:
        raise AttributeError(f"module 'cpol' has no attribute {name!r}")
    from cpol import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_INTERFACE])
