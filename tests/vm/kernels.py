"""The two kernels of the tests: the patched one, and Debian's with the module."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from vm_types import CHECKOUT

from cpol.kernel.vm.image import find_image, stock

KERNELS = ("patched", "module")
ON_PATCHED = ("patched", pytest.param("module", marks=pytest.mark.long))
ON_MODULE = (pytest.param("patched", marks=pytest.mark.long), "module")
ON_STOCK = (pytest.param("patched", marks=pytest.mark.long), "stock")
"""`make test` runs one of a pair: the patched kernel for what both cores share, the module or Debian's kernel for what
their users meet. `make test-all` runs both."""
PATCHED_ONLY = ("admit",)
"""Stdlib policies that refuse folios, which the module cannot."""


def module_environment() -> dict[str, str]:
    """Variables that make the machine load the module (guest.py), which is built if the cache lacks it."""
    build = CHECKOUT / "kernel" / "build-module"
    built = subprocess.run([build], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return {"CPOL_MODULE": f"{built.stdout.strip()}/cache_ext.ko"}


def kernel_and_environment(name: str) -> tuple[Path, dict[str, str]]:
    """The kernel to boot, one of KERNELS, and the variables of the checks that run there."""
    return (stock(), module_environment()) if name == "module" else (find_image(None), {})
