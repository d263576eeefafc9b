"""The module on Debian's stock kernel: the checks of attach_checks.py, and loading and unloading of the module."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from checks import passed
from test_attach import NAMES, SCRIPT, Results, make_objects
from vm_types import CHECKOUT

from cpol.kernel.vm import Disk, Machine, run
from cpol.kernel.vm.image import stock
from cpol.runtime.operate import loader

pytestmark = pytest.mark.vm

BUILD = CHECKOUT / "kernel" / "build-module"
IN_GUEST = Path(__file__).parent / "guest-module"
OF_THE_MODULE = (
    "without_the_module_it_is_named",
    "module_has_the_version",
    "module_stays_while_attached",
    "module_waits_when_forced",
    "ftrace_off_is_named",
    "module_unloads_afterwards",
    "kernel_log_is_clean_after_unload",
)


OF_BOTH = (
    "replace_leaves_no_gap",
    "unit_attaches",
    "other_stdlib_policies_work",
    "replace_without_update_keeps_the_cache",
    "params_and_ghosts_reach_the_kernel",
    "ghosts_with_entries_removed_from_the_middle",
    "devices_and_cgroups_of_folios",
    "records_of_files_count_what_was_read",
    "record_of_a_thread_is_gone_with_it",
    "state_of_a_policy_is_shown",
    "state_of_stdlib_policies_is_shown",
    "capacity_agrees_with_shmem_in_the_cgroup",
    "capacity_agrees_with_a_policy_on_a_child",
    "failed_replace_keeps_the_old_policy",
    "killed_loader_leaves_no_partial_state",
    "stale_pin_folder_is_removed",
    "missing_file_systems_are_mounted",
    "object_of_another_version_is_explained",
    "verifier_refusal_is_explained",
    "loader_is_clean_under_sanitizers",
    "unreadable_pins_are_kept",
    "dozens_of_cgroups_with_policies",
    "each_missing_capability_is_named",
    "odd_names_of_cgroups",
)
"""Checks of the loader and of programs, which the module does not change; test_attach.py has them, too."""
OF_THE_GLUE = [name for name in NAMES if name not in OF_BOTH]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The result of each check of what the module does; one machine runs them all."""
    return in_a_machine(tmp_path_factory.mktemp("module"), OF_THE_GLUE)


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return in_a_machine(tmp_path_factory.mktemp("others"), OF_BOTH)


def in_a_machine(folder: Path, names: Sequence[str]) -> Results:
    make_objects(folder)
    built = subprocess.run([BUILD], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    module = Path(built.stdout.strip()) / "cache_ext.ko"
    disk = folder / "disk"
    with disk.open("wb") as file:
        file.truncate(256 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", str(disk)], check=True)
    machine = Machine(kernel=stock(), memory="1G", disks=(Disk(disk),), exchange=folder)
    stdout, stderr = bytearray(), bytearray()
    words = [str(IN_GUEST), str(module), sys.executable, "-I", str(SCRIPT), str(loader.find()), str(folder), *names]
    code = run(words, machine, stdout=stdout.extend, stderr=stderr.extend, directory=CHECKOUT, timeout=2400)
    said = {line["name"]: line for line in map(json.loads, stdout.decode().splitlines())}
    assert code == 0 and "done" in said, (code, stdout.decode(), stderr.decode())
    return said


@pytest.mark.parametrize("name", [*OF_THE_GLUE, *OF_THE_MODULE])
def test_on_the_stock_kernel(results: Results, name: str) -> None:
    passed(results, name)


@pytest.mark.long
@pytest.mark.parametrize("name", OF_BOTH)
def test_what_the_module_does_not_change(others: Results, name: str) -> None:
    passed(others, name)


def test_those_left_to_the_long_ones_exist() -> None:
    assert {*OF_BOTH} < {*NAMES}
