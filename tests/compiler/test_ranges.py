"""Comparisons that are always or never true (W0406): what it does not warn of, how long it takes, what it advises."""

from __future__ import annotations

import pytest

from cpol.compiler.stages import run

QUEUE = """policy p {{
  list queue
  {declared}
  on added(f) {{ place f at tail of queue }}
  on accessed(f) {{ {body} }}
  on evict {{ {evict} scan queue from head as f {{ evict f }} }}
  {test}
}}
"""


def warned(body: str = "", declared: str = "state s: u8 = 0", evict: str = "", test: str = "") -> list[tuple[str, str]]:
    """The text of each comparison, and the help."""
    text = QUEUE.format(body=body, declared=declared, evict=evict, test=test)
    return [
        (each.source.slice(each.span), each.help)
        for each in run(text, "p.cpol").warnings
        if each.code == "W0406" and each.span is not None
    ]


@pytest.mark.parametrize(
    "body",
    [
        "if s < 5 { s = 1 } else if s >= 5 and f.dirty { s = 2 }",
        "if s < 5 { s = 1 } else if not (s < 5) { s = 2 }",
        "if s < 5 { s = 1 } else if not (s < 5 or f.dirty) { s = 2 }",
        "let k = if s < 5 then 1 else if s >= 5 then 2 else 3  s = k",
    ],
)
def test_a_further_branch_may_say_what_is_left(body: str) -> None:
    assert warned(body) == []


def test_an_arm_may_say_what_is_left() -> None:
    arms = "when s < 5 { evict f } when s >= 5 and f.dirty { evict f } otherwise { s = 0 }"
    assert warned(evict=f"scan queue from head as f {{ s = f.pages {arms} }}") == []


def test_what_never_holds_there_is_told() -> None:
    assert [text for text, _ in warned("if s < 5 { s = 1 } else if s < 3 { s = 2 }")] == ["s < 3"]
    assert [text for text, _ in warned("if s < 5 { s = 1 } else if not (s >= 5) { s = 2 }")] == ["s >= 5"]
    assert [text for text, _ in warned("if s < 5 { if not (s >= 5) { s = 2 } }")] == ["s >= 5"]


def test_cases_of_a_test_may_decide_otherwise() -> None:
    test = "test t(capacity: 4) { case x(lim: 2) case y(lim: 300) access 1 expect s < lim }"
    assert warned("s = 1", "state s: u2 = 0", test=test) == []


def test_time_grows_with_the_text_only() -> None:
    condition = "s == 1"
    for number in range(28):  # 2.6 times as long with each pair, if each side were looked at for both results
        condition = f"({condition} or s == {number}) and f.dirty"
    assert warned(f"if s < 40 and {condition} {{ s = 3 }}") == []
    chain = " and ".join(f"s != {number}" for number in range(100))
    assert warned(f"if {chain} {{ s = 3 }}") == []


@pytest.mark.parametrize(
    ("declared", "condition", "help"),
    [
        ("state s: u64 = 0", "(f.index & 3) - s < 0", "write `(f.index & 3) < s`"),
        (
            "state s: u64 = 0",
            "(if f.dirty then 3 else s) - f.index < 0",
            "write `(if f.dirty then 3 else s) < f.index`",
        ),
        ("state s: u64 = 0", "s - (f.index - 1) < 0", "write `s < f.index - 1`"),
    ],
)
def test_what_is_advised_compiles(declared: str, condition: str, help: str) -> None:
    ((text, found),) = warned(f"if {condition} {{ s = 3 }}", declared)
    assert text == condition and found.endswith(help)
    assert warned(f"if {found.split('`')[1]} {{ s = 3 }}", declared) == []


@pytest.mark.parametrize("condition", ["a - s > 0", "a - s == 0", "0 < a - s"])
def test_what_is_decided_too_is_not_advised(condition: str) -> None:
    ((_, help),) = warned(f"if {condition} {{ s = 3 }}", "param a: u8 = 10 in 10..20  state s: u2 = 0")
    assert "an unsigned difference ends at 0: write" not in help
