"""What tests on the real kernel share: the kernel, built once, and machines to run commands in."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from vm_types import CHECKOUT, Finished, RunInVm

from cpol.kernel.vm import Disk, Machine, run
from cpol.kernel.vm.image import find_image

OWN_MACHINES = {"test_kernel", "test_runner"}
"""Files each of whose tests starts a machine; in the others a machine serves the whole file."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """For two machines at a time (scripts/test): what shares one stays together, and the longest come first."""
    here = [item for item in items if item.path.parent == Path(__file__).parent]
    for item in here:
        if item.path.stem not in OWN_MACHINES:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
    items.sort(key=lambda item: item.path.stem != "test_kernel")


@pytest.fixture(scope="session")
def kernel() -> Path:
    """The patched kernel's image; built if the cache does not have it."""
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
