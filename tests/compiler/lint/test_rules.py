"""Each rule finds its wrong example and nothing in its right one; the standard library is clean."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from cpol.compiler.diagnostics.errors import Explanation, registry
from cpol.compiler.lint.page import page
from cpol.compiler.lint.rules import RULES
from cpol.compiler.lint.run import CODES, lint
from cpol.compiler.stages import run, run_file
from cpol.kernel import profiles

from ..corpus import LINT
from ..examples import wrap

ROOT = Path(__file__).parents[3]
KERNELS = [profiles.load(name) for name in ("patched-6.12", "module-6.12")]
ENTRIES = [registry()[code] for code in CODES]
POLICIES = [*sorted((ROOT / "stdlib").glob("*.cpol")), *sorted((ROOT / "examples").glob("*/*.cpol"))]
MACHINE_MADE = {
    "first": ["L0101", "L0107", "L0103", "L0103", "L0103"],
    "second": ["L0101", "L0103", "L0103", "L0103", "L0107", "L0109"],
}
"""What is found in policies of examples/discovered, which stay as `cpolc discover` wrote them."""


def codes_in(text: str) -> list[str]:
    """The codes found in a policy, or in declarations, in the order of the text."""
    compiled = run(wrap(text), "example.cpol")
    assert not compiled.warnings, "a rule repeats no warning"
    return [each.code for each in lint(compiled, KERNELS) if not each.reason]


def test_each_rule_is_a_file_with_its_code() -> None:
    files = {path.stem for path in (ROOT / "compiler/lint/rules").glob("*.py")} - {"__init__"}
    assert {inspect.getmodule(rule).__name__.rpartition(".")[2] for rule in RULES.values()} == files
    for code, rule in RULES.items():
        assert set(re.findall(r"L\d{4}", inspect.getsource(rule))) == {code}
    assert [code for code in registry() if code.startswith("L")] == list(CODES)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.code)
def test_examples(entry: Explanation) -> None:
    assert entry.code in codes_in(entry.wrong)
    assert entry.code not in codes_in(entry.right)


def test_an_example_has_little_else() -> None:
    """L0113 is a long loop, which is far above the peers of its handler, too."""
    whole = {"L0101", "L0102", "L0103"}
    found = {(entry.code, code) for entry in ENTRIES for code in codes_in(entry.wrong) if code not in whole}
    assert {pair for pair in found if pair[0] != pair[1]} == {("L0113", "L0114")}


@pytest.mark.slow
@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_what_users_copy_is_clean(path: Path) -> None:
    found = [each for each in lint(run_file(path), KERNELS) if not each.reason]
    assert [each.code for each in found] == MACHINE_MADE.get(path.stem, []), [each.diagnostic.message for each in found]


def test_page_is_made_from_the_rules() -> None:
    assert LINT.read_text(encoding="utf-8") == page()


@pytest.mark.parametrize(
    "text",
    [
        # A state that a test alone sets up is still read by a decision.
        "state n: u8 = 1  on accessed(f) { n += 1  if n > 3 { n = 0  move f to tail of queue } }",
        # A table that counts itself down, and is asked.
        "table t: u8[4] = 9  on accessed(f) { t[0] -= 1  if t[0] > 2 { move f to tail of queue } }",
        # The reason is asked before, by `match`.
        "ghost g { capacity: 9 }  on removed(f, why) { match why { evicted { g.add(f) } otherwise { } } }"
        " on added(f) { if g.take(f) { place f at head of queue } else { place f at tail of queue } }",
        # A ghost with a record keeps its entries on purpose.
        "ghost g { capacity: 9  folio { n: u8 = 0 } }"
        " on removed(f, why) { if why == evicted { g.add(f, n: g.n(f) + 1) } }"
        " on added(f) { if g.has(f) and g.n(f) > 2 { place f at head of queue } else { place f at tail of queue } }",
        # A counter that is halved.
        "folio { n: u4 = 0 }  score s(f) = f.n  on accessed(f) { f.n += 1 }"
        " on evict { scan queue from head up to 9 as f { f.n = f.n / 2 }"
        " evict lowest s of up to 9 from head of queue }",
        # A scan that stops.
        "list old  on evict { scan queue from head as f { if f.pages > 1 { stop }  move f to tail of old }"
        " scan old from head as f { evict f } }",
        # A param decides.
        "param deep: bool = true  on accessed(f) { if deep and 3 > 2 { move f to tail of queue } }",
    ],
)
def test_no_false_alarm(text: str) -> None:
    assert set(codes_in(text)) <= {"L0101", "L0102", "L0103"}


def test_a_library_has_no_findings_of_its_own(tmp_path: Path) -> None:
    own = "library own { action note(f: folio, l: list) { if 2 > 1 { move f to tail of l } } }"
    (tmp_path / "own.cpol").write_text(own)
    text = 'policy p { import note from "own.cpol"  list queue  on added(f) { place f at tail of queue }'
    text += " on accessed(f) { if 3 > 2 { do note(f, queue) } }"
    text += " on evict { scan queue from head as f { evict f } } }"
    (tmp_path / "p.cpol").write_text(text)
    found = [each for each in lint(run_file(tmp_path / "p.cpol")) if each.code == "L0116"]
    assert [each.diagnostic.span and each.diagnostic.span.start for each in found] == [text.index("if 3")]
