"""The two kernels of the tests: the patched one, and Debian's with the module.

$CPOL_TEST_MODULE names a cache_ext.ko, for the kernel of $CPOL_KERNEL: tests with the module then run on these
(scripts/test-kernels, scripts/test-debug).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.analysis.profile import Profile, refusals
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.policies import stdlib_names
from cpol.kernel import profiles
from cpol.kernel.profiles.found import having
from cpol.kernel.vm.image import find_image, stock

KERNELS = ("patched", "module")
ON_PATCHED = ("patched", pytest.param("module", marks=pytest.mark.long))
ON_MODULE = (pytest.param("patched", marks=pytest.mark.long), "module")
ON_STOCK = (pytest.param("patched", marks=pytest.mark.long), "stock")
"""`make test` runs one of a pair: the patched kernel for what both cores share, the module or Debian's kernel for what
their users meet. `make test-all` runs both."""
PATCHED_ONLY = ("admit",)
"""Stdlib policies that refuse folios, which the module cannot."""


MODULE = Path(os.environ["CPOL_TEST_MODULE"]) if "CPOL_TEST_MODULE" in os.environ else None


def profile_of_module(module: Path) -> Profile:
    """The profile of a module, by the names in its BTF, which stand in its file."""
    found = having(map(profiles.entries, profiles.names()), module.read_bytes())
    assert found, f"no profile fits {module}"
    return profiles.load(str(found[1]))


def carried_by(module: Path) -> tuple[str, ...]:
    """The stdlib policies that a kernel with this module can run. Of the others cpolc says why not."""
    profile = profile_of_module(module)
    policies = {name: compile_file(CHECKOUT / "stdlib" / f"{name}.cpol") for name in stdlib_names()}
    return tuple(name for name, policy in policies.items() if not refusals(policy, profile, Setting.of(policy, 1)))


def module_environment() -> dict[str, str]:
    """Variables that make the machine load the module (guest.py): that of CPOL_TEST_MODULE, or that of the stock
    kernel, which is built if the cache lacks it."""
    if MODULE:
        return {"CPOL_MODULE": str(MODULE)}
    build = CHECKOUT / "kernel" / "build-module"
    built = subprocess.run([build], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return {"CPOL_MODULE": f"{built.stdout.strip()}/cache_ext.ko"}


def kernel_and_environment(name: str) -> tuple[Path, dict[str, str]]:
    """The kernel to boot, one of KERNELS, and the variables of the checks that run there."""
    if name != "module":
        return find_image(None), {}
    return (find_image(None) if MODULE else stock()), module_environment()
