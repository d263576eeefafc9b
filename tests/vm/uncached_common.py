"""Runs in the machine: what the checks about caching off share."""

from __future__ import annotations

import importlib
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from guest import CGROUPS, DISK, LOADER

PREFETCH_STAT = Path("/proc/prefetch_ext/stat")


def prepare() -> None:
    """Import what `cpolc uncached` needs, since Python starts slowly here."""
    os.environ["CPOL_LOADER"] = LOADER
    importlib.import_module("cpol.cli.uncached")
    importlib.import_module("cpol.compiler.stages")


def cpolc(*words: str) -> int:
    """Fork a process that runs cpolc; return its number."""
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            from cpol.cli.main import main as run

            sys.argv = ["cpolc", *words]
            try:
                run()
                status = 0
            except SystemExit as end:
                status = int(end.code or 0)
        finally:
            os._exit(status)
    return pid


def uncached(*words: str, place: Path = DISK, options: Sequence[str] = ()) -> int:
    """Run a command by `cpolc uncached`; return its exit code."""
    return os.waitstatus_to_exitcode(os.waitpid(cpolc("uncached", *options, str(place), "--", *words), 0)[1])


def governing() -> list[str]:
    """Return the lines of the policies about files that have not ended."""
    return [line for line in PREFETCH_STAT.read_text().splitlines() if "state=ended" not in line]


def all_gone() -> bool:
    """Wait for the end of what `cpolc uncached` made: the kernel ends a policy soon after its link."""
    end = time.monotonic() + 60
    while (list(CGROUPS.glob("cpol-uncached-*")) or governing()) and time.monotonic() < end:
        time.sleep(0.2)
    return not list(CGROUPS.glob("cpol-uncached-*")) and not governing()
