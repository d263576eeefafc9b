"""cpol: a declarative language for Linux page-cache policies. CONTRIBUTING.md says what a new version promises."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from cpol.version import LANGUAGE_VERSION as LANGUAGE_VERSION
from cpol.version import __version__ as __version__

if TYPE_CHECKING:
    from cpol.api import *  # noqa: F403  # its __all__ is the interface


def __getattr__(name: str) -> Any:
    """A name of the Python interface (docs/python.md), `__all__` too: it is imported once somebody asks.

    `cpolc --version` needs none of it.
    """
    # `from cpol import app` asks here before it loads the module: an application then needs no compiler.
    if name != "__all__" and (name.startswith("_") or find_spec(f"{__name__}.{name}")):
        raise AttributeError(f"module 'cpol' has no attribute {name!r}")
    import cpol.api as api  # `from cpol import api` would ask here first

    if name != "__all__" and name not in api.__all__:
        raise AttributeError(f"module 'cpol' has no attribute {name!r}")
    return getattr(api, name)


def __dir__() -> list[str]:
    import cpol.api as api  # `from cpol import api` would ask here first

    return sorted({*globals(), *api.__all__})
