"""The module refuses a kernel whose functions, structs or calls are not those that it was built for, and says which.

tests/kernel/test_btf_table.py and tests/kernel/test_callsites.py test the comparisons themselves, without a machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from vm_types import CHECKOUT

from cpol.kernel.vm import Machine, run
from cpol.kernel.vm.image import stock

pytestmark = pytest.mark.vm

BUILD = CHECKOUT / "kernel" / "build-module"
STAGE = CHECKOUT / "kernel" / "module" / "stage"
IN_GUEST = Path(__file__).parent / "refused_modules.py"

NOT_SUPPORTED = "Operation not supported"
MISSING = "Unknown symbol in module"
EXPECTED = {
    "prototype": (
        NOT_SUPPORTED,
        "shrink_lruvec of this kernel is not what the module was built for: "
        "void (struct lruvec *, struct scan_control *); built for void (struct lruvec *, struct scan_chances *)",
    ),
    "layout": (NOT_SUPPORTED, " of this kernel is not what the module was built for: "),
    "call": (NOT_SUPPORTED, "vfs_getxattr_alloc() of this kernel ("),
    "caller": (NOT_SUPPORTED, "has no function mark_page_accessor, which the module hooks or looks at"),
    "ambiguous": (MISSING, "and the module cannot tell which one it needs"),
    "missing": (MISSING, "lacks vm_swappiest_, which the module needs"),
}


@pytest.fixture(scope="module")
def results() -> dict[str, dict[str, Any]]:
    """What became of each changed copy of the module; one machine loads them all."""
    built = subprocess.run([BUILD], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    module = Path(built.stdout.strip()) / "cache_ext.ko"
    stdout, stderr = bytearray(), bytearray()
    words = [sys.executable, "-I", str(IN_GUEST), str(module)]
    code = run(words, Machine(kernel=stock()), stdout=stdout.extend, stderr=stderr.extend, timeout=300)
    assert code == 0, (stdout.decode(), stderr.decode())
    return {line["name"]: line for line in map(json.loads, stdout.decode().splitlines())}


@pytest.mark.parametrize("name", EXPECTED)
def test_kernel_is_refused(results: dict[str, dict[str, Any]], name: str) -> None:
    result = results[name]
    insmod, says = EXPECTED[name]
    assert result["code"] == 1 and insmod in result["insmod"], result
    assert len(result["said"]) == 1 and says in result["said"][0], result["said"]


def test_unchanged_module_loads(results: dict[str, dict[str, Any]]) -> None:
    assert results["unchanged"]["code"] == 0, results["unchanged"]["insmod"]


@pytest.mark.long
def test_kernel_of_another_prototype_is_refused_at_build(tmp_path: Path) -> None:
    """A declaration in stock.h that differs from the kernel's BTF: the build names both."""
    source = tmp_path / "source"
    subprocess.run([STAGE, source], check=True)
    header = source / "stock.h"
    right = "void shrink_lruvec(struct lruvec *lruvec, struct scan_control *sc);"
    text = header.read_text()
    assert right in text
    header.write_text(text.replace(right, right.replace("lruvec *lruvec, ", "lruvec *lruvec, long more, ")))
    release = stock().name.removeprefix("vmlinuz-")
    command = ["make", "-s", "-C", f"/lib/modules/{release}/build", f"M={source}", "prototypes.o"]
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "error: conflicting types for ‘shrink_lruvec’" in done.stderr
    assert "‘void(struct lruvec *, struct scan_control *)’" in done.stderr
    assert "‘void(struct lruvec *, long int,  struct scan_control *)’" in done.stderr
