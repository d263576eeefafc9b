"""Every command of docs/operating.md works on the real page cache."""

from __future__ import annotations

import os
import re
import runpy
from pathlib import Path

import pytest
from checks import Results, names_of, passed, run_checks
from kernels import ON_MODULE, kernel_and_environment
from vm_types import CHECKOUT

from cpol.cli.objects import object_of
from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.runtime.operate import loader

pytestmark = pytest.mark.vm

SCRIPT = Path(__file__).parent / "operating_checks.py"
DOCUMENT = CHECKOUT / "docs" / "operating.md"
blocks = runpy.run_path(str(CHECKOUT / "tests" / "docs" / "doc_blocks.py"))["blocks"]


@pytest.fixture(scope="module", params=ON_MODULE)
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The result of each check. Objects are compiled first on the host, since clang takes minutes in the machine."""
    folder = tmp_path_factory.mktemp("operating")
    text = DOCUMENT.read_text()
    for name in set(re.findall(r"cpolc attach (\w+) ", text)):
        with object_of(name):
            pass
    (policy,) = (block for block in blocks(DOCUMENT) if block.words == ["cpol", "kv.cpol"])
    (folder / "kv.cpol").write_text(policy.text)
    bpf.compile_policy(compile_file(folder / "kv.cpol"), folder / "kv.bpf.o")
    kernel, environment = kernel_and_environment(request.param)
    environment["CPOL_DOCUMENT"] = str(DOCUMENT)
    environment |= {"CPOL_CACHE": os.environ["CPOL_CACHE"]} if "CPOL_CACHE" in os.environ else {}
    return run_checks(kernel, SCRIPT, folder, str(loader.find()), str(folder), environment=environment)


@pytest.mark.parametrize("name", names_of(SCRIPT))
def test_in_the_machine(results: Results, name: str) -> None:
    passed(results, name)
