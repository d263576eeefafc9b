"""How many files an addition touches: each patch in additions/ goes into a copy of the tree, and has to work there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cpol.compiler.toolchain.clang import clang

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BOUNDS = {"attribute": 4, "builtin": 4, "event": 7, "statistic": 2, "format": 2, "kfunc": 2}
"""Files outside tests and docs that are written by hand, at most."""

PARTS = ("compiler", "grammar", "kernel", "runtime", "scripts", "src", "stdlib", "tests/core", "tests/compiler", "docs")
LEFT = ("*.png", "golden", "wrong")


class Tree:
    """A copy of the tree with an addition, and with caches of its own."""

    def __init__(self, folder: Path, addition: str) -> None:
        self.folder = folder
        for part in PARTS:
            shutil.copytree(ROOT / part, folder / part, symlinks=True, ignore=shutil.ignore_patterns(*LEFT))
        patch = HERE / "additions" / f"{addition}.patch"
        self.run("patch", "-p1", "--no-backup-if-mismatch", "-i", str(patch))
        self.python("scripts/contract.py")
        self.evaluate("from tests.compiler import corpus; corpus.LANGUAGE.write_text(corpus.reference())")

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": f"{self.folder / 'src'}:{self.folder}"}
        environment |= {"CPOL_CACHE": str(self.folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            words, cwd=self.folder, env=environment, capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done

    def python(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.run(sys.executable, *words)

    def evaluate(self, code: str) -> str:
        return self.python("-c", code).stdout

    def cpolc(self, *words: str) -> subprocess.CompletedProcess[str]:
        own = f"import cpol; assert cpol.__file__.startswith({str(self.folder)!r}), cpol.__file__"
        return self.python("-c", f"{own}\nfrom cpol.cli.main import cli\ncli()", *words)

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def text(self, path: str) -> str:
        return (self.folder / path).read_text(encoding="utf-8")

    def compiled_for_kernels(self, policy: str) -> None:
        """Compile a policy for the kernels that offer what it asks for."""
        for profile in ("patched-6.12", "module-6.12"):
            self.cpolc(policy, "--profile", f"kernel/profiles/{profile}.toml", "-o", "policy.bpf.o")

    def kernel_object(self, source: str) -> None:
        """Compile a file of the kernel's core for user space."""
        target = f"out/asan/kernel/{source}.o"
        self.run("make", "-s", "-C", "tests/core", f"OUT={self.folder / 'out'}", f"{self.folder / target}")


def files_of(addition: str) -> list[str]:
    """The files that a patch changes or makes."""
    patch = (HERE / "additions" / f"{addition}.patch").read_text(encoding="utf-8")
    return re.findall(r"^\+\+\+ b/(\S+)", patch, re.MULTILINE)


@pytest.fixture
def grow(tmp_path: Path) -> Iterator[Callable[[str], Tree]]:
    yield lambda addition: Tree(tmp_path, addition)


@pytest.mark.parametrize("addition", BOUNDS)
def test_few_files(addition: str) -> None:
    """Nothing that is generated is among them: the copies below are made without those files' changes."""
    files = files_of(addition)
    counted = [path for path in files if not path.startswith(("tests/", "docs/"))]
    assert 0 < len(counted) <= BOUNDS[addition], counted
    made = "Made from compiler/contract.toml"
    assert not [path for path in counted if (ROOT / path).exists() and made in (ROOT / path).read_text("utf-8")]


def test_all_are_here() -> None:
    assert {path.stem for path in (HERE / "additions").glob("*.patch")} == set(BOUNDS)


def test_attribute(grow: Callable[[str], Tree]) -> None:
    tree = grow("attribute")
    policy = tree.write("p.cpol", ATTRIBUTE)
    tree.compiled_for_kernels(policy)
    trace = tree.write("keys.txt", "".join(f"k{number % 7}\n" for number in range(50)))
    noted = tree.cpolc("sim", policy, "--trace", trace, "--capacity", "4")
    assert "the text trace has no marks of use; no folio is marked as used" in noted.stderr
    told = tree.cpolc(
        "sim", policy, "--trace", trace, "--format", "text", "--capacity", "4", "--assume", "referenced=no"
    )
    assert not told.stderr
    assert tree.evaluate(BOTH_EXECUTORS).split() == ["1", "referenced"]
    assert "| `f.referenced` | `bool` | whether the kernel has seen it used since it last looked |" in tree.text(
        "docs/language.md"
    )


ATTRIBUTE = """policy p {
  list queue, used
  state spared: u64 = 0
  on added(f) { place f at tail of queue  spared = spared / 1 }
  on evict {
    scan queue from head as f {
      when f.referenced { move f to tail of used  spared += 1 }
      otherwise { evict f }
    }
    scan used from head as f { evict f }
  }
}
"""

BOTH_EXECUTORS = """
from cpol.compiler import compile_file
from cpol.runtime.machine.events import Op, Row, format_row
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.native import EventSimulator
from pathlib import Path
policy = compile_file(Path("p.cpol"))
machine, native = Machine(policy, 4), EventSimulator(policy, 4)
machine.added(0, 1)
machine.set_flags(0, 1, 16)
native.events([Row(Op.ADDED, 0, 1, 1), Row(Op.FLAGS, 0, 1, 16)])
told = format_row(machine.records[-1], machine.header).split()[-1]
machine.evict(1)
native.event(Row(Op.EVICT, 0, 0, 1))
assert native.log == machine.records, (native.log, machine.records)
print(machine.state["spared"], told)
"""


def test_builtin(grow: Callable[[str], Tree]) -> None:
    tree = grow("builtin")
    policy = tree.write("p.cpol", BUILTIN)
    tree.cpolc("test", policy)
    tree.compiled_for_kernels(policy)
    assert "(ones " in tree.cpolc(policy, "--emit", "ir").stdout
    assert "| `ones(x)` | a `u64` | `u64`: how many of its bits are 1 |" in tree.text("docs/language.md")


BUILTIN = """policy p {
  const EIGHT: u64 = ones(255)
  list queue
  state bits: u64 = 0
  on added(f) { place f at tail of queue  bits += ones(f.index) * EIGHT }
  on evict { scan queue from head as f { evict f } }
  test counts(capacity: 10) {
    access 7, 65535
    expect bits == 152 and ones(18446744073709551615) == 64 and ones(0) == 0
  }
}
"""


def test_event(grow: Callable[[str], Tree]) -> None:
    tree = grow("event")
    policy = tree.write("p.cpol", EVENT)
    tree.cpolc("test", policy)
    tree.compiled_for_kernels(policy)
    assert b"struct_ops/file_closed" in (tree.folder / "policy.bpf.o").read_bytes()
    assert tree.evaluate(EVENT_IN_BOTH).strip() == "2"
    assert "PREFETCH_EXT_FILE_CLOSED" in tree.text("kernel/prefetch_ext/contract.h")
    tree.run("make", "-s", "-C", "tests/core", f"OUT={tree.folder / 'out'}", "prefetch")


EVENT = """policy p {
  state files: u64 = 0
  on closed(r) { files += 1 }
  test counts() {
    closed 3
    closed 4
    expect files == 2
  }
}
"""

EVENT_IN_BOTH = """
from cpol.compiler import compile_file
from cpol.runtime.machine.events import Op, Row
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp.replay import apply_prefetching
from cpol.runtime.machine.native import EventSimulator
from pathlib import Path
policy = compile_file(Path("p.cpol"))
machine, native = Machine(policy, 4), EventSimulator(policy, 4)
rows = [Row(Op.CLOSED, 3, 0), Row(Op.CLOSED, 4, 0)]
for row in rows:
    apply_prefetching(machine, row)
native.events(rows)
assert native.log == machine.records, (native.log, machine.records)
print(machine.state["files"])
"""


def test_statistic(grow: Callable[[str], Tree]) -> None:
    tree = grow("statistic")
    tree.evaluate(
        "from cpol.runtime.operate.watch.families import FAMILIES\n"
        "assert FAMILIES['cpol_waited'].help == 'Passes of reclaim that waited for another inside the policy.'"
    )
    tree.kernel_object("cache_ext/evict")
    tree.kernel_object("cache_ext/stats")
    assert "X(waited, 1)" in tree.text("runtime/operate/loader/system/contract.h")
    assert '[CES_WAITED] = "waited"' in tree.text("kernel/cache_ext/counter_names.h")
    assert "| waited | count | Passes of reclaim that waited" in tree.text("docs/kernel-interface.md")


def test_format(grow: Callable[[str], Tree]) -> None:
    tree = grow("format")
    line = (
        "1700000{n:03}.123 5 10.0.0.1 TCP_MISS/200 {size} GET http://example.org/{page} - HIER_DIRECT/1.2.3.4 text/html"
    )
    lines = [line.format(n=number, size=4096 + number, page=number % 5) for number in range(40)]
    trace = tree.write("access.log", "\n".join(lines) + "\n")
    done = tree.cpolc("sim", "fifo", "--trace", trace, "--capacity", "5", "--json")
    row = json.loads(done.stdout.splitlines()[0])
    assert (row["requests"], row["misses"]) == (40, 5), row
    assert set(tree.evaluate(FORMAT_READ).split()) == {"squid", "time", "thread"}


FORMAT_READ = """
from pathlib import Path
from cpol.runtime.simulate.traces import read
trace = read(Path("access.log"))
print(trace.format, *trace.carries)
"""


def test_kfunc(grow: Callable[[str], Tree]) -> None:
    tree = grow("kfunc")
    assert "BTF_ID_FLAGS(func, bpf_cache_ext_pinned, KF_TRUSTED_ARGS)" in tree.text("kernel/cache_ext/kfunc_sets.h")
    tree.kernel_object("cache_ext/kfuncs")
    program = tree.write("program.bpf.c", PROGRAM)
    flags = ("-target", "bpf", "-O2", "-g", "-Wall", "-Werror", "-Iruntime/machine/include")
    tree.run(clang(), *flags, "-c", program, "-o", "program.bpf.o")
    assert b"bpf_cache_ext_pinned" in (tree.folder / "program.bpf.o").read_bytes()
    tree.evaluate(
        "from pathlib import Path\n"
        "from cpol.compiler.analysis.profile import read_profile\n"
        "from cpol.compiler.contract import KFUNCS\n"
        "assert KFUNCS['bpf_cache_ext_pinned'] == ()\n"
        "for name in ('patched', 'module'):\n"
        "    profile = read_profile(Path(f'kernel/profiles/{name}-6.12.toml'))\n"
        "    assert profile.offers('bpf_cache_ext_pinned', 'folio_added')\n"
    )


PROGRAM = """
#include <stdbool.h>
typedef unsigned char u8;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
#define CPOL_KSYM __attribute__((section(".ksyms")))
struct folio;
struct mem_cgroup;
#include "cpol/cache_ext_abi.h"
__attribute__((section("struct_ops/tick"))) void tick(const u64 *ctx)
{
	struct mem_cgroup *memcg = (struct mem_cgroup *)ctx[0];

	if (bpf_cache_ext_pinned(memcg) > 100)
		bpf_cache_ext_tick(memcg);
}
"""
