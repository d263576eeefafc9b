"""What `cpolc sim` keeps of compiled policies: used while nothing has changed, and only then."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import cpol.grammar
from cpol.cli.objects import object_of
from cpol.compiler import compiled as module
from cpol.compiler.compiled import Compiled, compiled
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.policies import STDLIB
from cpol.compiler.toolchain.process import ToolError
from cpol.compiler.toolchain.trust import UntrustedError

POLICY = """policy own {
  import step from "lib.cpol"
  list q
  state n: u64 = 0
  on added(f) { n += step()  place f at tail of q }
  on accessed(f) { n += task.thread }
  on evict { scan q from head as f { evict f } }
}
"""
LIBRARY = "/// A library.\nlibrary lib {\n  /// a number\n  fn step(): u64 = 2\n}\n"


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CPOL_CACHE", str(tmp_path / "cache"))
    (tmp_path / "lib.cpol").write_text(LIBRARY, encoding="utf-8")
    path = tmp_path / "own.cpol"
    path.write_text(POLICY, encoding="utf-8")
    return path


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were really compiled."""
    seen: list[Path] = []
    really = module._compile

    def compile_and_count(path: Path) -> Compiled:
        seen.append(path)
        return really(path)

    monkeypatch.setattr(module, "_compile", compile_and_count)
    return seen


def entries(policy: Path) -> list[Path]:
    return list((policy.parent / "cache" / "compiled").glob("*.pickle"))


def test_what_is_no_regular_file_is_read_within_the_limit(policy: Path) -> None:
    with pytest.raises(CompileError, match="this file is larger than 1 MiB"):
        compiled(Path("/dev/zero"))
    with policy.open("rb") as file, subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE) as cat:
        assert cat.stdout
        with pytest.raises(CompileError, match=r"lib\.cpol"):  # it was read: there is none beside the pipe
            compiled(Path(f"/dev/fd/{cat.stdout.fileno()}"))
    assert not entries(policy)


def test_a_policy_is_compiled_once(policy: Path, compilations: list[Path]) -> None:
    first, second = compiled(policy), compiled(policy)
    assert first == second and compilations == [policy]
    assert [(read.fact, read.word) for read in second.reads] == [("thread", "task.thread")]
    assert second.source.pos(second.reads[0].span.start).within(second.source.path) == f"{policy}:6:25"


def test_a_changed_policy_is_compiled_anew(policy: Path, compilations: list[Path]) -> None:
    before = compiled(policy).code
    policy.write_text(POLICY.replace("at tail", "at head"), encoding="utf-8")
    assert compiled(policy).code != before and len(compilations) == 2


def test_a_changed_library_is_compiled_anew(policy: Path, compilations: list[Path]) -> None:
    before = compiled(policy).code
    (policy.parent / "lib.cpol").write_text(LIBRARY.replace("= 2", "= 3"), encoding="utf-8")
    assert compiled(policy).code != before and len(compilations) == 2
    assert compiled(policy).code != before and len(compilations) == 2
    (policy.parent / "lib.cpol").unlink()
    with pytest.raises(CompileError):
        compiled(policy)


def test_with_a_changed_compiler_it_is_compiled_anew(
    policy: Path, compilations: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = tmp_path / "compiler" / "part"
    part.mkdir(parents=True)
    file = part / "pass.py"
    file.write_text("one", encoding="utf-8")
    monkeypatch.setattr(cpol.grammar, "__path__", [str(part.parent)])
    changes: list[Callable[[], object]] = [
        lambda: None,
        lambda: file.write_text("two", encoding="utf-8"),
        lambda: (part / "more.toml").touch(),
        lambda: file.rename(part / "other.py"),
    ]
    for number, change in enumerate(changes, start=1):
        change()
        for _ in range(2):
            module._compiler.cache_clear()
            compiled(policy)
            assert len(compilations) == number
    module._compiler.cache_clear()


@pytest.mark.parametrize("damage", [b"", b"x" * 50, b"\0"])
def test_a_damaged_entry_is_replaced(policy: Path, compilations: list[Path], damage: bytes) -> None:
    good = compiled(policy)
    (entry,) = entries(policy)
    whole = entry.read_bytes()
    entry.write_bytes(whole[:-1] + damage)
    assert compiled(policy) == good and len(compilations) == 2
    assert entry.read_bytes()[:32] == whole[:32] and len(entry.read_bytes()) == len(whole)


def test_an_entry_that_others_can_write_is_refused(policy: Path) -> None:
    compiled(policy)
    (entry,) = entries(policy)
    entry.chmod(0o666)
    with pytest.raises(UntrustedError):
        compiled(policy)


def test_errors_are_not_kept(policy: Path) -> None:
    policy.write_text(POLICY.replace("place f", "palce f"), encoding="utf-8")
    for _ in range(2):
        with pytest.raises(CompileError):
            compiled(policy)
    assert entries(policy) == []


def test_the_same_text_elsewhere_has_its_own_path(policy: Path) -> None:
    other = policy.with_name("other.cpol")
    other.write_text(POLICY, encoding="utf-8")
    assert (compiled(policy).policy.path, compiled(other).policy.path) == (str(policy), str(other))


@pytest.mark.slow
def test_a_warm_run_does_without_the_parser_and_the_generator(tmp_path: Path) -> None:
    trace = tmp_path / "keys.txt"
    trace.write_text("1\n2\n3\n", encoding="utf-8")
    code = (
        "import sys\nfrom click.testing import CliRunner\nfrom cpol.cli.sim import command\n"
        f"words = {['arc', '--trace', str(trace), '--capacity', '2']!r}\n"
        "assert CliRunner().invoke(command, words).exit_code == 0\n"
        "names = ('antlr4', 'jinja2', 'fractions', 'hypothesis', 'cpol.compiler.check')\n"
        "print(*(name for name in names if name in sys.modules))\n"
    )
    for loaded in ("antlr4 jinja2 fractions cpol.compiler.check\n", "\n"):
        environment = {**os.environ, "CPOL_CACHE": str(tmp_path / "cache")}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout == loaded


@pytest.mark.slow
def test_a_warm_run_starts_without_what_takes_long_to_load(tmp_path: Path) -> None:
    trace = tmp_path / "trace.oracleGeneral"
    trace.write_bytes(b"".join(struct.pack("<IQIq", number, number % 7, 1, -2) for number in range(100)))
    code = (
        "import sys\nfrom cpol.cli.main import main\n"
        f"sys.argv = {['cpolc', 'sim', 'arc', '--trace', str(trace), '--capacity', '2']!r}\n"
        "try:\n    main()\nexcept SystemExit as ended:\n    assert not ended.code\n"
        "names = ('hashlib', 'shutil', 'decimal', 'tempfile', 'cpol.runtime.simulate.traces.known')\n"
        "print(*(name for name in names if name in sys.modules), file=sys.stderr)\n"
    )
    environment = {**os.environ, "CPOL_CACHE": str(tmp_path / "cache")}
    words = [sys.executable, "-c", code]
    first, second = (
        subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stderr for _ in range(2)
    )
    assert "tempfile" in first and second == "\n"


def test_warnings_are_told_each_time(policy: Path) -> None:
    policy.write_text(POLICY.replace("list q", "list q, spare"), encoding="utf-8")
    first, second = compiled(policy).warnings, compiled(policy).warnings
    assert first == second and len(first) == 2


def test_the_stdlib_is_kept_with_its_libraries() -> None:
    kept = compiled(STDLIB / "arc.cpol")
    assert [Path(name).name for name, _ in kept.libraries] == ["balance.cpol"]


@pytest.mark.slow
def test_a_policy_that_was_attached_before_is_attached_without_the_parser(policy: Path, tmp_path: Path) -> None:
    code = (
        "import sys\nfrom cpol.cli.objects import object_of\n"
        f"with object_of({str(policy)!r}) as path:\n    print(path.stat().st_size)\n"
        "print(*(name for name in ('antlr4', 'jinja2', 'cpol.compiler.check') if name in sys.modules))\n"
    )
    words = [sys.executable, "-c", code]
    runs = [subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\n") for _ in range(2)]
    assert [loaded for _, loaded, _ in runs] == ["antlr4 jinja2 cpol.compiler.check", ""]
    assert runs[0][0] == runs[1][0]
    (tmp_path / "lib.cpol").write_text(LIBRARY.replace("= 2", "= 3"), encoding="utf-8")
    changed = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\n")
    assert changed[1]  # a library has changed, so it was compiled


@pytest.mark.slow
def test_a_policy_is_attached_without_a_cache(policy: Path, tmp_path: Path) -> None:
    """Without rights to write there, say: it is compiled each time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_keep", no_room)
        with object_of(str(policy)) as path:
            assert path.stat().st_size


def no_room(name: str, made: Compiled) -> None:
    raise ToolError("no room")
