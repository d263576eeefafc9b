"""kernel/module/compat: each thing that kernels differ in has a test, and each test is asked for."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

MODULE = Path(__file__).resolve().parents[2] / "kernel" / "module"
COMPAT = MODULE / "compat"

KERNEL = """
struct list_head { struct list_head *next, *prev; };
struct scan_control { int order; } sc;
unsigned int move_folios_to_lru(struct list_head *list) { return list != list->next; }
"""


def call(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ELF file with the BTF of KERNEL."""
    folder = tmp_path_factory.mktemp("kernel")
    (folder / "kernel.c").write_text(KERNEL)
    image = folder / "vmlinux"
    done = call("gcc", "-g", "-O0", "-w", "-shared", "-fPIC", "-nostdlib", "-o", image, folder / "kernel.c")
    assert done.returncode == 0, done.stderr
    done = call("pahole", "-J", image)
    assert done.returncode == 0, done.stderr
    return image


def answers() -> set[str]:
    return {f"STOCK_{path.stem.upper()}" for path in (COMPAT / "tests").glob("*.c")}


def test_every_answer_is_asked_for() -> None:
    texts = [path.read_text() for path in (*COMPAT.glob("*.h"), COMPAT / "probe", MODULE / "Kbuild")]
    unused = {name for name in answers() if not any(re.search(rf"\b{name}\b", text) for text in texts)}
    assert not unused


def test_every_question_has_a_test() -> None:
    """A condition of compat/ is the answer of a test, or a name that a file there defines."""
    texts = [path.read_text() for path in COMPAT.glob("*.h")]
    defined = {name for text in texts for name in re.findall(r"^#define (STOCK_\w+)", text, re.MULTILINE)}
    asked = {
        name
        for text in texts
        for line in text.splitlines()
        if line.startswith(("#if", "#elif"))
        for name in re.findall(r"STOCK_\w+", line)
    }
    assert asked and not asked - answers() - defined - {"STOCK_CALLS"}


def test_cores_have_no_condition_on_a_kernel() -> None:
    for core in ("cache_ext", "prefetch_ext", "policy_ext"):
        for path in (MODULE.parent / core).glob("*.[ch]"):
            assert not re.search(r"LINUX_VERSION_CODE|^#\s*(?:if|elif).*STOCK_", path.read_text(), re.MULTILINE), path


@pytest.mark.slow
def test_functions_without_a_header_are_declared(kernel: Path, tmp_path: Path) -> None:
    tool = tmp_path / "btf_declare"
    done = call("gcc", "-O1", "-Wall", "-Wno-unused-function", "-Werror", "-o", tool, MODULE / "btf_declare.c")
    assert done.returncode == 0, done.stderr
    said = call(tool, kernel, "move_folios_to_lru", "evict_folios").stdout.splitlines()
    assert "typeof(unsigned int (struct list_head *)) move_folios_to_lru;" in said
    assert "extern struct not_in_btf *evict_folios;" in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("compiler", "said"),
    [
        ("false", "cache_ext: error: no test of this kernel's headers compiles: see compat/failed.log"),
        # All that a test wants, and then what the module does not know.
        ("compiler", "cache_ext: error: this kernel is unknown"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(kernel: Path, tmp_path: Path, compiler: str, said: str) -> None:
    if compiler == "compiler":
        compiler = str(tmp_path / "cc")
        Path(compiler).write_text(
            "#!/bin/sh\ncase $* in *check.c*) echo 'check.c:1: error: this kernel is unknown' >&2; exit 1 ;; esac\n"
        )
        Path(compiler).chmod(0o755)
    done = call("sh", COMPAT / "probe", tmp_path / "out", kernel, "gcc", compiler)
    assert (done.stdout.splitlines(), done.returncode) == ([said], 0), done.stderr
