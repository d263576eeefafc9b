"""Rendering of diagnostics."""

from __future__ import annotations

import re

from cpol.compiler.diagnostics import Diagnostic, Label, Severity
from cpol.compiler.diagnostics.render import render
from cpol.compiler.diagnostics.source import Source, Span

TEXT = "policy p {\n\tlist a  // ähm\n  state b: u8 = 300\n}\n"


def diagnostic(
    start: int, end: int, text: str = TEXT, others: tuple[Label, ...] = (), label: str = "here"
) -> Diagnostic:
    return Diagnostic(
        "E0204", "a message", Source("p.cpol", text), Span(start, end), label, "a reason", "an advice", others
    )


def test_render_all_parts() -> None:
    assert render(diagnostic(43, 46)) == (
        "error[E0204]: a message\n"
        " --> p.cpol:3:17\n"
        "  |\n"
        "3 |   state b: u8 = 300\n"
        "  |                 ^^^ here\n"
        "  = why: a reason\n"
        "  = help: an advice"
    )


def test_second_place_above() -> None:
    shown = render(diagnostic(43, 46, others=(Label(Span(0, 6), "this"),)))
    assert shown.splitlines()[2:8] == [
        "  |",
        "1 | policy p {",
        "  | ------ this",
        "...",
        "3 |   state b: u8 = 300",
        "  |                 ^^^ here",
    ]


def test_marks_with_tabs_and_wide_characters() -> None:
    assert render(diagnostic(17, 18)).splitlines()[3:5] == ["2 |     list a  // ähm", "  |          ^ here"]
    assert render(diagnostic(2, 3, "漢字 x")).splitlines()[3:5] == ["1 | 漢字 x", "  |     ^ here"]


def test_multiline_span_is_marked_on_its_first_line() -> None:
    assert render(diagnostic(0, len(TEXT))).splitlines()[3:5] == ["1 | policy p {", "  | ^^^^^^^^^^ here"]


def test_place_at_the_end_of_the_text() -> None:
    assert render(diagnostic(len(TEXT), len(TEXT))).splitlines()[3:5] == ["5 |", "  | ^ here"]


def test_long_line_is_cut_around_the_place() -> None:
    shown = render(diagnostic(5000, 5003, "x" * 5000 + "yyy" + "z" * 5000)).splitlines()
    assert len(shown[3]) <= 170
    assert shown[3].index("yyy") == shown[4].index("^^^")


def test_control_characters_of_the_source_are_escaped() -> None:
    text = "policy \x1b[31m\u202e\x07p {"
    shown = render(Diagnostic("E0009", "m", Source("a\x1b[2Jb\n.cpol", text), Span(7, 8)))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", shown)
    assert "a�[2Jb�.cpol:1:8" in shown


def test_color_changes_only_the_color() -> None:
    for severity in Severity:
        plain = Diagnostic("E0204", "a message", Source("p.cpol", TEXT), Span(43, 46), "here", severity=severity)
        colored = render(plain, color=True)
        assert "\x1b[" in colored
        assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == render(plain)
        assert ("\x1b[1;31m" if severity is Severity.ERROR else "\x1b[1;33m") in colored


def test_diagnostic_without_a_place() -> None:
    shown = render(Diagnostic("E0002", "cannot be read", Source("p.cpol", ""), None, why="it is not there"))
    assert shown == "error[E0002]: cannot be read\n --> p.cpol\n  = why: it is not there"
