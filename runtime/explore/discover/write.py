"""The file of a found policy: its text below a comment that says where it comes from, and what it gains."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import NamedTuple

from cpol.compiler.diagnostics.words import listing
from cpol.runtime.explore.discover.judge import Judged

WIDTH = 96


class Told(NamedTuple):
    """What the comment says beside the judgement.

    `trained`, `held`: a line for each trace, with its hash; `again`: the command line; `steps`: the last mutations.
    """

    origin: Sequence[str]
    trained: Sequence[str]
    held: Sequence[str]
    version: str
    seed: int
    candidates: int
    generations: int
    steps: Sequence[str]
    again: str
    interrupted: bool


def written(text: str, name: str, told: Told, judged: Judged) -> str:
    """The whole file."""
    lines = [*_wrapped(f"{name}: found by a search that began with {listing(told.origin)}."), ""]
    count = f"{told.candidates:,} candidates in {told.generations:,} generations"
    stopped = ", interrupted" if told.interrupted else ""
    lines += _wrapped(f"Source: cpolc discover {told.version}, seed {told.seed}, {count}{stopped}.")
    if told.steps:
        lines += _wrapped(f"Its last changes: {', '.join(told.steps)}.")
    for word, traces in (("Trained on", told.trained), ("Judged on", told.held)):
        lines.append(f"{word}:")
        lines += [line for each in traces for line in _wrapped(each, "  ", "    ")]
    lines += _wrapped(f"It {verdict(judged)}")
    lines += _wrapped(f"Again: {told.again}", after="  ")
    return "".join(f"/// {line}".rstrip() + "\n" for line in lines) + text


def verdict(judged: Judged) -> str:
    """What it gains, as the end of a sentence."""
    low, high = 1 - judged.ratio.high, 1 - judged.ratio.low
    against = f"{judged.best}, the best policy of the standard library there"
    if judged.ratio.high < 1:
        others = ", and less than each other one" if judged.beats_all else ""
        return f"misses {low:.1%} to {high:.1%} less (95 %) than {against}{others}."
    if judged.ratio.low > 1:
        return f"misses {-high:.1%} to {-low:.1%} more (95 %) than {against}."
    return f"misses between {-low:.1%} more and {high:.1%} less (95 %) than {against}: that may be chance."


def _wrapped(text: str, before: str = "", after: str = "") -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=before, subsequent_indent=after, break_long_words=False, break_on_hyphens=False
    )
