"""What kernels tell of code that is mapped, and what it costs who maps it (code_checks.py)."""

from __future__ import annotations

import pytest
from checks import Results, names_of, passed, run_checks
from kernels import ON_MODULE, kernel_and_environment
from vm_types import CHECKOUT

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.runtime.operate import loader

pytestmark = pytest.mark.vm

VM = CHECKOUT / "tests" / "vm"
SCRIPT = VM / "code_checks.py"
POLICIES = tuple(VM / "objects" / f"{name}.cpol" for name in ("code", "asks"))


@pytest.fixture(scope="module", params=ON_MODULE)
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("code")
    for path in POLICIES:
        bpf.compile_policy(compile_file(path), folder / f"{path.stem}.bpf.o")
    kernel, environment = kernel_and_environment(request.param)
    return run_checks(kernel, SCRIPT, folder, str(loader.find()), str(folder), environment=environment)


@pytest.mark.parametrize("name", names_of(SCRIPT))
def test_in_the_machine(results: Results, name: str) -> None:
    passed(results, name)
