"""The loader's explanation of the verifier's log: line of the policy, reason, meaning, file of the log."""

from __future__ import annotations

import os
import random
import re
import subprocess
from pathlib import Path

import pytest
from loader_types import Build

from cpol.runtime.operate import loader

SOURCES = Path(loader.__file__).parent

LOG = """\
func#0 @0
0: R1=ctx() R10=fp0
; on accessed(f) { f.freq += 1 } @ lfu.cpol:15
0: (79) r6 = *(u64 *)(r1 +0)
1: (85) call bpf_cache_ext_folio_data#123
; f.freq += 1 @ lfu.cpol:15
2: (61) r1 = *(u32 *)(r0 +0)
R0 invalid mem access 'rdwr_mem_or_null'
processed 3 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 mark_read 0
"""


@pytest.fixture(scope="session")
def program(build: Build) -> Path:
    """A program with the loader's explanation code and sanitizers."""
    return build("explain")


def explain(program: Path, folder: Path, log: str | bytes) -> str:
    path = folder / "log"
    path.write_bytes(log.encode() if isinstance(log, str) else log)
    environment = os.environ | {"TMPDIR": str(folder)}
    done = subprocess.run([str(program), "lfu", str(path)], capture_output=True, check=False, env=environment)
    assert (done.returncode, done.stdout) == (0, b""), done.stderr
    return done.stderr.decode(errors="replace")


def test_explanation_has_line_reason_and_meaning(program: Path, tmp_path: Path) -> None:
    said = explain(program, tmp_path, LOG)
    lines = said.splitlines()
    assert "the kernel's verifier refused the policy lfu" in lines[0]
    assert lines[1:4] == [
        "  at:     lfu.cpol:15: f.freq += 1",
        "  reason: R0 invalid mem access 'rdwr_mem_or_null'",
        "  means:  the program does not test whether a record or an element exists",
    ]
    found = re.search(r"^  log:    (\S+)$", said, re.MULTILINE)
    assert found and Path(found[1]).read_text() == LOG
    assert Path(found[1]).stat().st_mode & 0o777 == 0o600
    assert "please report this" in lines[-1]


@pytest.mark.parametrize(
    "line",
    [
        "113: (15) if r7 == 0x0 goto pc+1 ",
        "120: (15) if r0 == 0x0 goto pc-50 ",
        "9: (05) goto pc+3 ",
        "130: (97) r1 %= 7\n",
        "130: (97) r1 %= 7                     ; R1_w=scalar()\n",
        "172: (56) if w2 != 0x0 goto pc+1      ; R2=1\n",
    ],
)
@pytest.mark.parametrize(
    "why",
    [
        "BPF program is too large. Processed 1000001 insn",
        "The sequence of 8193 jumps is too complex.",
        "R1 invalid mem access 'scalar'",
    ],
)
def test_a_reason_has_no_instruction_in_it(program: Path, tmp_path: Path, line: str, why: str) -> None:
    """The verifier gives up in the middle of a line, or after it."""
    log = LOG.replace("R0 invalid mem access 'rdwr_mem_or_null'\n", f"{line}{why}\n")
    assert f"  reason: {why}\n" in explain(program, tmp_path, log)


def test_an_instruction_is_no_reason(program: Path, tmp_path: Path) -> None:
    log = LOG.replace("R0 invalid mem access 'rdwr_mem_or_null'\n", "172: (56) if w2 != 0x0 goto pc+1      ; R2=1\n")
    assert "  reason: the log has none\n" not in explain(program, tmp_path, log)
    assert "  reason: 172" not in explain(program, tmp_path, log)


def logs(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("cpol-verifier-*"))


def test_one_log_of_a_policy_is_kept(program: Path, tmp_path: Path) -> None:
    """It takes the place of a link that somebody put there, and leaves what that leads to."""
    other, last = tmp_path / "other", tmp_path / "cpol-verifier-lfu.log"
    other.write_text("mine")
    last.symlink_to(other)
    for text in (LOG, "processed 1\n"):
        assert f"  log:    {last}\n" in explain(program, tmp_path, text)
        assert logs(tmp_path) == [last.name] and last.read_text() == text
    assert other.read_text() == "mine" and not last.is_symlink()


def test_a_log_whose_place_is_taken_keeps_its_name(program: Path, tmp_path: Path) -> None:
    (tmp_path / "cpol-verifier-lfu.log").mkdir()
    said = explain(program, tmp_path, LOG)
    found = re.search(r"^  log:    (\S+)$", said, re.MULTILINE)
    assert found and Path(found[1]).read_text() == LOG and len(logs(tmp_path)) == 2


def test_advice_if_the_policy_can_be_changed(program: Path, tmp_path: Path) -> None:
    log = LOG.replace("R0 invalid mem access 'rdwr_mem_or_null'", "BPF program is too large. Processed 1000001 insn")
    said = explain(program, tmp_path, log)
    assert "  means:  the verifier gave up after a million instructions" in said
    assert "  try:    put fewer `if`s" in said and "please report" not in said


def test_fault_in_a_generated_function_names_it(program: Path, tmp_path: Path) -> None:
    own = "Validating cpol_ghost_add__my_recent() func#1...\n; slot->next = 1; @ bpf_ghost.h:130\n9: (85) x\n"
    own += "R1 !read_ok\n"
    said = explain(program, tmp_path, LOG.replace("R0 invalid mem access 'rdwr_mem_or_null'\n", own))
    assert "  at:     cpol_ghost_add__my_recent, one of cpol's own functions" in said and "lfu.cpol:15" not in said
    assert "  reason: R1 !read_ok\n  means:  a value is used before it is set" in said


def test_unknown_reason_is_shown_unchanged(program: Path, tmp_path: Path) -> None:
    said = explain(program, tmp_path, LOG.replace("R0 invalid mem access 'rdwr_mem_or_null'", "something new in 6.99"))
    assert "  reason: something new in 6.99\n" in said and "means:" not in said and "please report" in said


@pytest.mark.parametrize(
    "log", ["", "\n", "processed 1", "; ", "; x @ ", ";  @ a.cpol:1", "Validating ", "; a @ b @ c.cpol:3\n"]
)
def test_malformed_logs(log: str, program: Path, tmp_path: Path) -> None:
    assert "the kernel's verifier refused" in explain(program, tmp_path, log)


def test_source_text_with_an_at_sign(program: Path, tmp_path: Path) -> None:
    assert "  at:     c.cpol:3: a @ b\n" in explain(program, tmp_path, "; a @ b @ c.cpol:3\n")


@pytest.mark.slow
def test_logs_of_random_bytes(program: Path, tmp_path: Path) -> None:
    generator = random.Random(3)
    words = [b"; ", b" @ ", b"x.cpol:", b"\n", b"Validating ", b"processed ", b"\xff", b"("]
    for _ in range(60):
        explain(program, tmp_path, b"".join(generator.choice(words) for _ in range(generator.randrange(40))))


def test_control_characters_are_escaped(program: Path, tmp_path: Path) -> None:
    source, why = b"f.x\x1b[31m += \xc2\x9b1 @ lfu.cpol:15\r", b"R0 \x1b]0;title\x07 \x9b \xc3\xa9"
    said = explain(program, tmp_path, b"; " + source + b"\n" + why + b"\nprocessed 1\n")
    assert r"  at:     lfu.cpol:15\x0d: f.x\x1b[31m += \xc2\x9b1" in said
    assert "  reason: R0 \\x1b]0;title\\x07 \\x9b \u00e9\n" in said
    said = explain(program, tmp_path, "Validating \x1b]0;x\x07() func#1...\nR1 !read_ok\n")
    assert r"  at:     \x1b]0;x\x07, " in said


def test_log_that_cannot_be_saved(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(LOG)
    environment = os.environ | {"TMPDIR": str(tmp_path / "missing")}
    done = subprocess.run([str(program), "p", str(path)], capture_output=True, text=True, check=True, env=environment)
    assert "  log:    could not be saved: No such file or directory" in done.stderr


@pytest.mark.slow
def test_every_reason_is_reachable(program: Path, tmp_path: Path) -> None:
    """No entry shadows a later one."""
    entries = re.findall(r'^\t\{ "(.+?)", "(.+?)",', (SOURCES / "object" / "reasons.c").read_text(), re.MULTILINE)
    assert len(entries) > 25
    for pattern, means in entries:
        assert f"  means:  {means}" in explain(
            program, tmp_path, LOG.replace("R0 invalid mem access 'rdwr_mem_or_null'", f"R1 {pattern} 3")
        )
