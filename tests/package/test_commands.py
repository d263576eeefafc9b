"""Commands work from an installed wheel: in another folder, without the checkout or PYTHONPATH."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

Cpolc = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def mine(cpolc: Cpolc, elsewhere: Path) -> Path:
    """A policy that `cpolc new` writes."""
    done = cpolc("new", "mine")
    assert done.returncode == 0, done.stderr
    return elsewhere / "mine.cpol"


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("check mine.cpol --max-examples 5", "native code makes the same decisions as the interpreter"),
        ("test mine.cpol", "by the interpreter and by native code"),
        ("fmt --check mine.cpol", ""),
        ("lint mine.cpol arc", ""),
        ("step fifo --test order_of_arrival", "decides: place"),
        ("cost mine.cpol", "kernel calls ="),
        ("cost mine.cpol --profile upstream-2026", "kernel calls ="),
        ("mine.cpol --emit ir", "mine"),
        ("doc mine.cpol --format html", "</html>"),
        ("stdlib show s3fifo", "S3-FIFO"),
        ("new other --like s3fifo -o -", "policy other"),
        ("explain E0311", "evict"),
        ("completion bash", "cpolc"),
    ],
)
def test_command_from_wheel(cpolc: Cpolc, mine: Path, words: str, said: str) -> None:
    done = cpolc(*words.split())
    assert done.returncode == 0, done.stderr
    assert said in done.stdout


@pytest.mark.slow
def test_sim_from_wheel(cpolc: Cpolc, mine: Path) -> None:
    (mine.parent / "trace.txt").write_text("1\n2\n3\n1\n")
    done = cpolc("sim", "mine.cpol", "lru", "--trace", "trace.txt", "--capacity", "2")
    assert done.returncode == 0, done.stderr
    assert [line.split()[:4] for line in done.stdout.splitlines()[-2:]] == [
        ["mine", "2", "4", "4"],
        ["lru", "2", "4", "4"],
    ]


@pytest.mark.slow
def test_attach_runs_the_loader(cpolc: Cpolc, mine: Path) -> None:
    compiled = cpolc("compile", "mine.cpol", "--profile", "module-6.12", "-o", "mine.bpf.o")
    assert compiled.returncode == 0, compiled.stderr
    attached = cpolc("attach", "mine.bpf.o", ".")
    assert attached.returncode == 1
    assert attached.stderr.startswith("cpol-loader: error: . is not a cgroup"), attached.stderr


def test_vm_needs_a_checkout(cpolc: Cpolc) -> None:
    done = cpolc("vm", "run", "--", "true")
    assert done.returncode == 1
    assert "`cpolc vm` needs a checkout of cpol" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_every_module_can_be_imported(installed: Path, elsewhere: Path) -> None:
    script = """
import importlib, pkgutil, cpol
optional = "cpol.cli.screen.", "cpol.editor.lsp."  # textual, pygls
for module in pkgutil.walk_packages(cpol.__path__, "cpol."):
    if module.name != "cpol.cli.vm" and not module.name.startswith(optional):
        print(importlib.import_module(module.name).__file__)
"""
    command = (installed / "bin" / "python", "-I", "-c", script)
    done = subprocess.run(command, cwd=elsewhere, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(Path(line).is_relative_to(installed) for line in done.stdout.splitlines())
    assert len(done.stdout.splitlines()) > 100
