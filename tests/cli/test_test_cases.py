"""Tests with a table of cases: `cpolc test`, and the commands that take a test by its name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.compiler import compile_source, ir
from cpol.compiler.diagnostics import CompileError
from cpol.runtime.explore.check.policy_seeds import policy_seeds

POLICY = """policy second {
  list queue, hot
  param threshold: u32 = 2 in 1..8
  folio { reads: u8 = 0 }
  on added(f) { place f at tail of queue }
  on accessed(f) { f.reads += 1  if f.reads >= threshold { move f to tail of hot } }
  on evict { scan queue from head as f { evict f }  scan hot from head as f { evict f } }
  /// how many reads outlive a scan
  test outlives(capacity: 4) {
    case once(reads: 1, lasts: false, order: 17..20, threshold: 2)
    case eager(reads: 2, lasts: true, order: [18, 19..20], threshold: 1)
    repeat reads { access 7 }
    access 10..20
    expect hot.has(7) == lasts and queue.is(order)
  }
  test plain(capacity: 4) { access 1  expect queue.is(1) }
}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "second.cpol"
    path.write_text(POLICY, encoding="utf-8")
    return path


def cpolc(*args: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(arg) for arg in args])


@pytest.mark.slow
def test_each_case_is_a_test(path: Path) -> None:
    assert "second: 3 tests passed" in cpolc("test", path).output
    assert "second: 1 test passed" in cpolc("test", path, "--filter", "outlives.eager").output
    (policy,) = json.loads(cpolc("test", path, "--json").output)["policies"]
    assert [(test["name"], test["line"], test.get("row")) for test in policy["tests"]] == [
        ("outlives.once", 10, "reads: 1, lasts: false, order: 17..20, threshold: 2"),
        ("outlives.eager", 11, "reads: 2, lasts: true, order: [18, 19..20], threshold: 1"),
        ("plain", 16, None),
    ]


@pytest.mark.slow
def test_a_failure_names_the_case(path: Path) -> None:
    path.write_text(POLICY.replace("reads: 2, lasts: true", "reads: 2, lasts: false"), encoding="utf-8")
    result = cpolc("test", path)
    assert result.exit_code == 1
    assert f"{path}:14:5: test outlives.eager failed: expect hot.has(7) == lasts" in result.output
    assert "the case in line 11 has reads: 2, lasts: false, order: [18, 19..20], threshold: 1\n" in result.output
    assert "--test outlives.eager" in result.output and "outlives.once" not in result.output
    assert "outlives.eager failed" in cpolc("check", path).output


def test_other_commands_know_cases(path: Path) -> None:
    assert "miss of 7 (line 12)" in cpolc("step", path, "--test", "outlives.eager", "--plain").output
    assert "it has outlives.once, outlives.eager, plain" in cpolc("step", path, "--test", "outlives").output
    page = cpolc("doc", path, "--format", "md").output
    assert "| `outlives.once` | how many reads outlive a scan (`reads: 1, lasts: false, order: 17..20" in page
    assert len(policy_seeds(compile_source(POLICY, "p.cpol"))) == 3


def test_layout(path: Path) -> None:
    path.write_text(POLICY.replace("case once(reads: 1", "case   once ( reads :1"), encoding="utf-8")
    assert cpolc("fmt", path).exit_code == 0
    assert "    case once(reads: 1, lasts: false, order: 17..20, threshold: 2)\n" in path.read_text(encoding="utf-8")
    assert "order: [18, 19..20]," in path.read_text(encoding="utf-8")


def compiled(body: str) -> ir.Policy:
    return compile_source(POLICY.replace("test plain(capacity: 4) {", f"test plain(capacity: 4) {{ {body}"), "p.cpol")


def test_values_have_the_type_of_their_place() -> None:
    (*_, test) = compiled("case a(n: 3, far: 5:6..7, wait: 2 s) access n..n, far tick wait expect n - 4 < 1").tests
    access, tick, _ = test.steps[:3]
    assert isinstance(access, ir.Access) and access.folios == ((0, 3), (5, 6), (5, 7))
    assert isinstance(tick, ir.Tick) and tick.ms == 2000


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        " ".join(f"case c{n}(n: {n})" for n in range(300)) + "access n " * 50,
        f"case a(n: [{', '.join(['1'] * 200)}]) " + "access n " * 120,
        f"case a(n: [{', '.join(['1'] * 200)}]) " + "expect cache.has(n) " * 120,
        f"case a(n: {' + '.join(['1'] * 200)}) " + "expect n > 0 " * 60,
    ],
)
def test_copies_have_a_limit(body: str) -> None:
    with pytest.raises(CompileError, match=r"E0007.*the steps of all cases come to more than 20000"):
        compiled(body)


def test_operands_of_values_count() -> None:
    with pytest.raises(CompileError, match=r"E0007.*more than 250 operands"):
        compiled(f"case a(n: {' + '.join(['1'] * 200)}) expect n + n > 0")
