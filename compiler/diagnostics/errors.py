"""The registry of diagnostics: each code with an explanation, a wrong and a right example."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import fill


@dataclass(frozen=True)
class Explanation:
    """The explanation of a code, with examples.

    `wrong` and `right` are empty if there is no example. `profile` names the kernel profile that
    the examples need; empty means any. `help` is what to write instead where a message does not say it.
    """

    code: str
    title: str
    explanation: str
    wrong: str
    right: str
    profile: str = ""
    help: str = ""

    def render(self) -> str:
        """The text that `cpolc explain` prints, without a final newline."""
        parts = [f"{self.code}: {self.title}", fill(self.explanation, 88, break_on_hyphens=False)]
        for word, example in (("Wrong", self.wrong), ("Right", self.right)):
            if example:
                where = f", with --profile {self.profile}" if self.profile else ""
                parts.append(f"{word}{where}:\n\n" + "\n".join(f"    {line}" for line in example.splitlines()))
        return "\n\n".join(parts)


@cache
def registry() -> dict[str, Explanation]:
    """All codes, in the order of errors.toml."""
    with Path(__file__).with_name("errors.toml").open("rb") as file:
        entries = tomllib.load(file)
    return {
        code: Explanation(
            code,
            entry["title"],
            " ".join(entry["explanation"].split()),
            entry.get("wrong", "").strip("\n"),
            entry.get("right", "").strip("\n"),
            entry.get("profile", ""),
            entry.get("help", ""),
        )
        for code, entry in entries.items()
    }


def explain(code: str) -> Explanation | None:
    """The explanation of `code` in upper or lower case; None if there is no such code."""
    return registry().get(code.strip().upper())
