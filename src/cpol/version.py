"""The versions of cpol. CONTRIBUTING.md says what a new one promises."""

from __future__ import annotations

from typing import Final

__version__: Final = "0.1.0"
"""The package: commands, their output, the loader. `pyproject.toml` reads it here; the tag is `v` and this."""

LANGUAGE_VERSION: Final = "0.1"
"""The language: what a `.cpol` file may say, and what it means (docs/language.md, docs/semantics.md)."""
