"""Comments that silence rules, with a reason."""

from __future__ import annotations

import pytest

from cpol.compiler.format.text import format_text
from cpol.compiler.lint.run import lint
from cpol.compiler.stages import run

TEXT = """\
/// A policy.
policy p {
  list queue
  state same: u8 = 4
  on added(f)    { place f at tail of queue }
  on accessed(f) { if same > 4 { move f to tail of queue } }
  on evict       { scan queue from head as f { evict f } }
  invariant queue.size == cache.size
  test fifo(capacity: 1) { access 1, 2  expect queue.is(2) }
}
"""
STATE = "  state same: u8 = 4"


def found(text: str) -> list[tuple[str, str]]:
    return [(each.code, each.reason) for each in lint(run(text, "p.cpol"))]


def test_what_is_found_without_a_comment() -> None:
    assert found(TEXT) == [("L0105", "")]


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace(STATE, f"{STATE}  // lint: allow L0105 because so"),
        TEXT.replace(STATE, f"  // lint: allow L0105 because so\n{STATE}"),
        TEXT.replace(STATE, f"  // lint: allow L0105 because so\n\n  // and another\n{STATE}"),
        TEXT.replace(STATE, f"  //lint:allow L0105 because so\n{STATE}"),
        TEXT.replace(STATE, f"{STATE}\t// lint: allow L0105   because so  ").replace("\n", "\r\n"),
    ],
    ids=["behind", "above", "far above", "close", "tab"],
)
def test_a_comment_silences(text: str) -> None:
    assert found(text) == [("L0105", "so")]
    assert found(format_text(text, "p.cpol")) == [("L0105", "so")], "and formatting keeps it where it works"


def test_a_comment_above_the_doc_silences_what_is_about_the_policy() -> None:
    text = TEXT.replace("  invariant queue.size == cache.size\n", "").replace(STATE, "  const same: u8 = 5")
    assert found(text) == [("L0102", ""), ("L0116", "")]
    text = "// lint: allow L0102 because it is short\n" + text
    assert found(text) == [("L0102", "it is short"), ("L0116", "")]
    assert found(format_text(text, "p.cpol")) == [("L0102", "it is short"), ("L0116", "")]


def test_one_comment_for_two_rules() -> None:
    text = TEXT.replace("  invariant queue.size == cache.size\n", "").replace("  test", "  // test")
    text = text.replace("policy p {", "policy p {  // lint: allow L0101, L0102 because it is an exercise")
    assert found(text) == [("L0101", "it is an exercise"), ("L0102", "it is an exercise"), ("L0105", "")]


@pytest.mark.parametrize(
    ("comment", "message", "help"),
    [
        ("// lint: allow L0105", "this comment gives no reason", "because REASON"),
        ("// lint: allow L0105 because", "this comment silences nothing", "because REASON"),
        ("/// lint: allow L0105 because so", "this comment silences nothing", "because REASON"),
        ("// lint: ignore", "this comment silences nothing", "because REASON"),
        ("// lint: allow L0909 because so", "there is no rule `L0909`", "did you mean `L01"),
        ("// lint: allow L0190 because so", "there is no rule `L0190`", "did you mean `L01"),
        ("// lint: allow W0401 because so", "this comment silences nothing", "because REASON"),
    ],
)
def test_a_comment_that_cannot_be_read(comment: str, message: str, help: str) -> None:
    codes = [each for each in lint(run(TEXT.replace(STATE, f"{STATE}  {comment}"), "p.cpol")) if each.code == "L0191"]
    assert [each.diagnostic.message for each in codes] == [message]
    assert help in codes[0].diagnostic.help
    assert ("L0105", "") in found(TEXT.replace(STATE, f"{STATE}  {comment}")), "it silences nothing, indeed"


def test_a_comment_that_is_not_needed() -> None:
    text = TEXT.replace("list queue", "list queue  // lint: allow L0105 because it was below")
    assert found(text) == [("L0190", ""), ("L0105", "")]
    text = TEXT.replace(STATE, f"{STATE}  // lint: allow L0105, L0106 because so")
    assert found(text) == [("L0105", "so"), ("L0190", "")]


def test_a_comment_in_quotes_is_none() -> None:
    text = TEXT.replace("if same > 4", 'if same > 4 and task.comm != "// lint: x"')
    assert found(text) == [("L0105", "")]
