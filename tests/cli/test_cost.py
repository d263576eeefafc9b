"""`cpolc cost`, `--profile`, and policies that attach refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.compiler.policies import stdlib_names
from cpol.compiler.toolchain import cache
from cpol.kernel import profiles
from cpol.runtime.machine.errors import ParamError
from cpol.runtime.operate import loader

WHOLE = sorted((Path(__file__).parents[1] / "compiler" / "whole").glob("*.cpol"))
WEAK = """
name = "weak"
[detect]
structs = ["cache_ext_ops"]
kfuncs = ["bpf_weak"]
[events]
added = "folio_added"
evict = "evict_folios"
[limits]
lists = 1
scan = 100
folio_data = 64
[kfuncs]
evict_folios = ["bpf_iter_cache_ext_scan_new"]
"""


def cpolc(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


@pytest.fixture
def weak(tmp_path: Path) -> str:
    (tmp_path / "weak.toml").write_text(WEAK)
    return str(tmp_path / "weak.toml")


def test_bounds_of_lfu() -> None:
    done = cpolc("cost", "lfu", "--json", "--set", "sample=4")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["handlers"]["evict"]["scan_steps"] == 128
    assert found["handlers"]["evict"]["loops"][0]["formula"] == "min(sample * evict.wanted, capacity, 65,536)"
    evict = found["programs"]["evict_folios"]
    # Its score is a field of the record, so the kernel scans the list and the program has no loop.
    assert evict["instructions"] == evict["size"] and evict["kernel_calls"] == 2 and evict["stack"] % 16 == 0
    assert found["memory"]["record"] == 4 and found["params"] == {"sample": 4}


@pytest.mark.slow
def test_bounds_of_lhd() -> None:
    done = cpolc("cost", "lhd", "--json", "--set", "sample=4")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["handlers"]["evict"]["scan_steps"] == 128
    evict = found["programs"]["evict_folios"]
    line = found["handlers"]["evict"]["loops"][0]["line"]
    assert f"scan@{line}" in evict["instructions_formula"]
    assert evict["size"] < evict["instructions"] < 128 * evict["size"]
    assert evict["kernel_calls"] > 128


@pytest.mark.long
@pytest.mark.parametrize("policy", [*stdlib_names(), *map(str, WHOLE)])
def test_every_loop_has_a_specific_bound(policy: str) -> None:
    """The policy bounds every loop, or a register counts it; none has only the language's general bound."""
    found = json.loads(cpolc("cost", policy, "--json", "--capacity", "1000").stdout)
    assert found["programs"]
    for program in found["programs"].values():
        assert "* loop" not in program["instructions_formula"], program
        assert 0 <= program["kernel_calls"] < program["instructions"] and program["size"] > 0


@pytest.mark.slow
def test_more_folios_cost_more() -> None:
    costs = [
        json.loads(cpolc("cost", "fifo", "--json", "--capacity", str(n)).stdout) for n in (10, 1000, 1 << 30, 1 << 31)
    ]
    steps = [found["handlers"]["evict"]["scan_steps"] for found in costs]
    assert steps == [10, 1000, 65536, 65536]
    evict = [found["programs"]["evict_folios"]["instructions"] for found in costs]
    assert evict[0] < evict[1] < evict[2] == evict[3]


@pytest.mark.slow
def test_memory_of_a_ghost() -> None:
    found = json.loads(cpolc("cost", "s3fifo", "--json", "--capacity", "1000", "--set", "ghost_percent=50").stdout)
    (ghost,) = found["memory"]["kept"]
    assert (ghost["name"], ghost["entries"], ghost["bytes"]) == ("recent", 500, 4800)


@pytest.mark.slow
def test_text() -> None:
    text = cpolc("cost", "s3fifo").stdout
    assert text.startswith("s3fifo should fit patched-6.12: no bound proves it for `folio_added`, ")
    assert (
        "For each call, at 262,144 pages. Typical: the mean of " in text
        and "ghost recent: 235,929 x 9.572 bytes = 2,258,208" in text
    )
    assert "kernel calls = " in text


@pytest.mark.slow
def test_a_policy_that_only_prefetches() -> None:
    text = cpolc("cost", "leap").stdout
    assert re.search(r"Typical: the mean of \d+ swap faults and requests of files\.", text)
    found = json.loads(cpolc("cost", "leap", "--json").stdout)
    assert found["handlers"]["prefetch"]["loop_rounds_typical"] > 8
    assert found["programs"]["swap_prefetch"]["instructions"] > found["programs"]["swap_fault"]["instructions"]


@pytest.mark.slow
def test_verdict_is_the_first_line() -> None:
    assert cpolc("cost", "lfu").stdout.splitlines()[0] == "lfu fits patched-6.12"
    assert json.loads(cpolc("cost", "lfu", "--json").stdout)["verdict"] == {"fits": "yes", "reasons": []}
    found = json.loads(cpolc("cost", "fifo", "--json").stdout)
    assert found["verdict"]["fits"] == "likely" and "`evict_folios`" in found["verdict"]["reasons"][0]
    assert found["programs"]["evict_folios"]["verifier_estimate"] == 40


@pytest.mark.long
@pytest.mark.parametrize("policy", ["fifo", "s3fifo", "lfu", "mglru", "wtinylfu", "lhd"])
def test_typical_is_at_most_the_bound(policy: str) -> None:
    found = json.loads(cpolc("cost", policy, "--json", "--capacity", "2000").stdout)
    assert 0 < found["run"]["requests"] <= 10_000 and found["run"]["capacity"] == 512
    for numbers in (*found["handlers"].values(), *found["programs"].values()):
        for name in [name for name in numbers if name.endswith("_typical")]:
            assert numbers[name] is None or 0 <= numbers[name] <= numbers[name.removesuffix("_typical")], name
    assert found["handlers"]["evict"]["scan_steps_typical"] >= 32, "one call proposes a batch"


def test_policy_that_cannot_be_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ParamError("too small")

    monkeypatch.setattr("cpol.cli.cost.typical", fail)
    done = cpolc("cost", "fifo")
    assert (done.exit_code, done.stderr) == (0, "note: nothing is known to be typical: too small\n")
    assert "evict                            -        65,536         -             0\n" in done.stdout
    found = json.loads(cpolc("cost", "fifo", "--json").stdout)
    assert found["run"] is None and found["programs"]["evict_folios"]["instructions_typical"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["cost", "lfu", "--set", "sample=0"], "out of range"),
        (["cost", "lfu", "--set", "nothing=0"], "no policy here has a param 'nothing'"),
        (["cost", "lfu", "--profile", "windows"], "there is no kernel profile `windows`"),
        (["cost", "lfu", "--profile", "./missing.toml"], "cannot read the profile"),
        (["cost", "lfu", "--capacity", "0"], "0 is not in the range"),
    ],
)
def test_wrong_words(words: list[str], said: str) -> None:
    done = cpolc(*words)
    assert done.exit_code != 0 and said in done.stderr and "Traceback" not in done.output
    assert done.exit_code == (1 if "missing" in words[-1] else 2)


@pytest.mark.slow
def test_compile_checks_the_profile_first(weak: str, tmp_path: Path) -> None:
    for words in (["lru"], ["cost", "lru"], ["attach", "lru", "/cg"]):
        done = cpolc(*words, "--profile", weak)
        assert done.exit_code == 1 and "lru.cpol:10:3\n" in done.stderr
        assert "error[E0504]: the policy handles `first_accessed`, but the kernel weak " in done.stderr
    assert cpolc("fifo", "--profile", weak, "-o", str(tmp_path / "fifo.bpf.o")).exit_code == 0
    assert not (Path.cwd() / "lru.bpf.o").exists()


@pytest.mark.slow
def test_attach_checks_the_running_kernels_profile(weak: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[Sequence[str]] = []

    def run(words: Sequence[str]) -> int:
        ran.append(words)
        return 0

    monkeypatch.setattr(loader, "run", run)
    monkeypatch.setenv("CPOL_CACHE", str(tmp_path / "cache"))
    btf = tmp_path / "btf"
    btf.mkdir()
    monkeypatch.setattr(profiles, "FOLDER", tmp_path)
    monkeypatch.setattr(profiles, "BTF", btf)
    assert profiles.running() is None
    assert cpolc("attach", "lru", "/cg").exit_code == 0, "the loader decides about an unknown kernel"
    (btf / "vmlinux").write_bytes(b"\0cache_ext_ops\0bpf_weak_not\0")
    assert profiles.running() is None
    (btf / "cache_ext").write_bytes(b"\0bpf_weak\0folio_added\0evict_folios\0")
    found = profiles.running()
    assert found is not None and found.name == "weak"
    assert cpolc("attach", "lru", "/cg").exit_code == 1
    assert cpolc("attach", "fifo", "/cg").exit_code == 0
    assert len(ran) == 2


def test_patched_kernel_and_module_are_distinguished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiles, "BTF", tmp_path)
    core = b"\0cache_ext_ops\0cache_ext_evict_ctx\0bpf_cache_ext_evict\0"
    (tmp_path / "vmlinux").write_bytes(core)
    patched = profiles.running()
    (tmp_path / "vmlinux").write_bytes(b"\0task_struct\0")
    (tmp_path / "cache_ext").write_bytes(core + b"cache_ext_module_hook\0")
    module = profiles.running()
    (tmp_path / "cache_ext").write_bytes(core + b"cache_ext_module_hook\0cache_ext_without_prefetch\0")
    evicts_only = profiles.running()
    assert patched is not None and patched.name == "patched-6.12"
    assert evicts_only is not None and evicts_only.name == "module-7.2"
    assert module is not None and module.name == "module-6.12"


def test_object_of_another_profile_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (b"", b"\x7fELF\x02\x01" + bytes(10), b"\x7fELF\x02\x01" + bytes(100)):
        path = tmp_path / "x.bpf.o"
        path.write_bytes(content)
        monkeypatch.setattr(cache, "find", lambda *_, path=path: path)
        done = cpolc("cost", "fifo")
        assert done.exit_code == 1 and "is not an object that cpolc made" in done.stderr
