"""What prefetching policies take from cgroups beside them, and what they are stopped for (bystander_checks.py)."""

from __future__ import annotations

from pathlib import Path

import pytest
from checks import Results, names_of, passed, run_checks
from kernels import ON_PATCHED, kernel_and_environment

from cpol.compiler import compile_source
from cpol.compiler.backend import bpf
from cpol.runtime.operate import loader

pytestmark = pytest.mark.vm

SCRIPT = Path(__file__).parent / "bystander_checks.py"
POLICIES = {
    "waste": "on readahead(r) { prefetch r.index + r.wanted up to 64 }",
    "dropper": "on read(r) { drop r }",
    "remembers": """
        list queue
        folio { reads: u64 = 0 }
        on added(f) { place f at tail of queue }
        on accessed(f) { f.reads += 1 }
        on evict { scan queue from head as f { evict f } }
    """,
}


@pytest.fixture(scope="module", params=ON_PATCHED)
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Results:
    kernel, environment = kernel_and_environment(request.param)
    folder = tmp_path_factory.mktemp("bystanders")
    for name, text in POLICIES.items():
        source = f"policy {name} {{ {text} }}"
        bpf.compile_policy(compile_source(source, f"{name}.cpol"), folder / f"{name}.bpf.o")
    return run_checks(kernel, SCRIPT, folder, str(loader.find()), str(folder), environment=environment)


@pytest.mark.parametrize("name", names_of(SCRIPT))
def test_bystanders(results: Results, name: str) -> None:
    passed(results, name)
