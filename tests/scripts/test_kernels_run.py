"""scripts/test-kernels: cells pass, fail or cannot be tried; a run goes on. Builds and machines are played."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Of no Debian that a test may run on.
TRIED, UNTRIED = "6.12.1+deb99-cloud-amd64", "7.2.1+deb99-cloud-amd64"
BUILD = """
case "$* ${UNTRIED:-}" in
*7.2*" 1") ;;
*7.2*) echo "build-module: not for $2: it uses internals: build it for 6.12, or say UNTRIED=1" >&2; exit 1 ;;
esac
mkdir -p "$ROOT/built"
echo "$MODULE" >"$ROOT/built/cache_ext.ko"
echo "$ROOT/built"
"""
RUN = 'echo "run $*" >>"$ROOT/calls"; printf "ok one\\n${SAID:+$SAID }ok two\\nok module unloaded\\n"; [ -z "$SAID" ]'


class Checkout:
    """A checkout with the script, whose other programs are played."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("test-kernels", "lib.sh", "kernel_table.py"):
            self._copy(f"scripts/{name}")
        self._copy("kernel/module/compat/check.c")
        self.program("scripts/apt-install", "")
        self.program("scripts/kernel-root", 'echo "$ROOT/root"')
        self.program("kernel/build-module", BUILD)
        self.program("tests/kernel/run", RUN)
        self.program("tests/kernel/dkms", 'echo "dkms $*" >>"$ROOT/calls"; echo "figures: built"')
        self.program("bin/qemu-system-x86_64", "echo QEMU emulator version 10.0.2")
        for words in (
            ["init", "-q"],
            ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
        ):
            subprocess.run(["git", *words], cwd=folder, check=True)

    def _copy(self, name: str) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, self.folder / name)

    def program(self, name: str, body: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\nROOT={self.folder}\n{body}\n")
        path.chmod(0o755)

    def run(self, *words: str, module: str = "a module", said: str = "") -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
            "CPOL_QEMU": str(self.folder / "bin"),
            "TMPDIR": str(self.folder),
            "MODULE": module,
            "SAID": said,
        }
        return subprocess.run(
            [self.folder / "scripts" / "test-kernels", *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def cell(self, release: str, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(
            (self.folder / "build" / "test-kernels" / release / f"{name}.json").read_text()
        )
        return found

    def calls(self) -> list[str]:
        path = self.folder / "calls"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.mark.slow
def test_cells_pass_and_are_not_run_again(checkout: Checkout) -> None:
    words = ("--cells", "selftests,dkms", "--parts", "lists charge", TRIED)
    first = checkout.run(*words)
    assert first.returncode == 0, first.stderr
    ran = checkout.calls()
    assert len(ran) == 2 and ran[0].endswith("lists charge") and "--untried" not in ran[1]
    cell = checkout.cell(TRIED, "selftests")
    assert (cell["result"], cell["figures"], cell["untried"]) == ("pass", "3 checks (lists charge)", "")
    assert f"| {TRIED} | pass | not run | pass: 3 checks (lists charge) |" in first.stdout
    again = checkout.run(*words)
    assert again.returncode == 0 and "dkms: passed before" in again.stderr
    assert checkout.calls() == ran
    assert checkout.run("--again", *words).returncode == 0
    assert len(checkout.calls()) == 4


@pytest.mark.slow
def test_a_failure_is_named_and_fails(checkout: Checkout) -> None:
    done = checkout.run("--cells", "selftests,dkms", TRIED, said="not")
    assert done.returncode == 1
    assert f"error: {TRIED}: selftests: fail: not ok two" in done.stderr
    cell = checkout.cell(TRIED, "selftests")
    assert (cell["result"], cell["figures"]) == ("fail", "2 checks pass, 1 do not")
    # The others ran all the same.
    assert checkout.cell(TRIED, "dkms")["result"] == "pass"


@pytest.mark.slow
def test_a_kernel_on_which_the_module_is_untried(checkout: Checkout) -> None:
    module = "a module with cache_ext_without_prefetch"
    done = checkout.run("--cells", "prefetching,selftests,dkms", UNTRIED, module=module, said="not")
    # Nobody has said that it works there.
    assert done.returncode == 0, done.stderr
    assert checkout.cell(UNTRIED, "builds")["figures"] == "without `UNTRIED=1` refused in one line"
    cell = checkout.cell(UNTRIED, "prefetching")
    assert (cell["result"], cell["why"], cell["untried"]) == ("cannot", "built without", "yes")
    assert any(call.startswith("dkms ") and call.endswith("--untried") for call in checkout.calls())


@pytest.mark.slow
def test_a_few_hostile_programs_are_not_all_of_them(checkout: Checkout) -> None:
    said = "hostile: 1 round, accepted 5, refused 0, slow 0; failures 0; seed 0"
    checkout.program("tests/kernel/run-hostile", f'echo "hostile $*" >>"$ROOT/calls"; echo "{said}"')
    few = ("--cells", "hostile", "--programs", "5", TRIED)
    assert checkout.run(*few).returncode == 0
    assert checkout.cell(TRIED, "hostile")["figures"] == "accepted 5, refused 0, failures 0 (5 programs)"
    assert "passed before" in checkout.run(*few).stderr
    assert checkout.run("--cells", "hostile", TRIED).returncode == 0
    assert [call.split("--programs ")[1].split()[0] for call in checkout.calls()] == ["5", "200"]


@pytest.mark.slow
def test_without_a_module_nothing_can_be_tried(checkout: Checkout) -> None:
    checkout.program("kernel/build-module", "echo build-module: the build failed, see failed.log >&2; exit 1")
    done = checkout.run("--cells", "selftests", TRIED)
    assert done.returncode == 1
    assert f"error: {TRIED}: builds: fail: build-module: the build failed" in done.stderr
    assert checkout.cell(TRIED, "selftests")["why"] == "the module does not build"
    assert not checkout.calls()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--cells", "selftests,walk"], "error: there is no cell walk: take some of builds"),
        (["--programs", "none"], "error: --programs takes a number, not none"),
        (["--cells"], "error: --cells needs a value"),
        (["--walk"], "error: unknown argument: --walk"),
    ],
)
def test_wrong_words_are_named(words: list[str], said: str) -> None:
    done = subprocess.run(
        [ROOT / "scripts" / "test-kernels", *words], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1 and done.stderr.startswith(said)
