"""Run soak_checks.py on a kernel for a time."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from by_hand import make_by_hand
from checks import passed, run_checks
from kernels import kernel_and_environment
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.runtime.operate import loader

VM = CHECKOUT / "tests" / "vm"
POLICIES = ("fifo", "lfu", "mru", "s3fifo")


def soak(kernel: str, folder: Path, seconds: int, seed: int, *, cgroups: int = 0) -> dict[str, Any]:
    """What the check found; `folder` is the machine's exchange folder.

    Args:
        kernel: one of KERNELS.
        seconds: at least, by the machine's clock; how long that is outside depends on what else the host does.
        cgroups: at least.
    """
    for name in POLICIES:
        bpf.compile_policy(compile_file(CHECKOUT / "stdlib" / f"{name}.cpol"), folder / f"{name}.bpf.o")
    bpf.compile_policy(compile_file(VM / "objects" / "double.cpol"), folder / "double.bpf.o")
    make_by_hand(folder / "live.bpf.o")
    (folder / "loader-kill-at").write_text(str(loader.find("kill-at")))
    image, environment = kernel_and_environment(kernel)
    environment |= {
        "CPOL_SOAK_SECONDS": str(seconds),
        "CPOL_SOAK_CGROUPS": str(cgroups),
        "CPOL_SEED": str(seed),
        "CPOL_CPOLC": str(CHECKOUT / ".venv" / "bin" / "cpolc"),
        "CPOL_LOADER": str(loader.find()),
    }
    environment |= {"CPOL_CACHE": os.environ["CPOL_CACHE"]} if "CPOL_CACHE" in os.environ else {}
    words = (str(loader.find()), str(folder))
    timeout = 1800 + 10 * seconds + 10 * cgroups
    results = run_checks(image, VM / "soak_checks.py", folder, *words, environment=environment, timeout=timeout)
    passed(results, "nothing_leaks")
    found: dict[str, Any] = results["nothing_leaks"]["figures"]
    return found
