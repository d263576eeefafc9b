"""Fixtures for tests on the real kernel: the kernel image, and machines to run commands in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from vm_types import CHECKOUT, Finished, RunInVm

from cpol.kernel.vm import Disk, Machine, run
from cpol.kernel.vm.image import find_image

LONGEST = [
    "test_kernel",
    "test_module",
    "test_kernel_module",
    "test_attach",
    "test_life",
    "test_sources",
    "test_beside",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first: scripts/test runs three files at a time."""
    order = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path.stem, len(order)))


@pytest.fixture(scope="session")
def kernel() -> Path:
    """The patched kernel's image; built if it is not in the cache."""
    return find_image(None)


@pytest.fixture
def vm(kernel: Path, tmp_path: Path) -> RunInVm:
    """Run a command on the patched kernel."""

    def start(*command: str, memory: str = "1G", disks: Sequence[Disk] = (), timeout: float = 120) -> Finished:
        exchange = tmp_path / "exchange"
        exchange.mkdir(exist_ok=True)
        machine = Machine(kernel=kernel, memory=memory, disks=tuple(disks), exchange=exchange)
        stdout, stderr = bytearray(), bytearray()
        code = run(command, machine, stdout=stdout.extend, stderr=stderr.extend, directory=CHECKOUT, timeout=timeout)
        return Finished(code, stdout.decode(errors="replace"), stderr.decode(errors="replace"), exchange)

    return start
