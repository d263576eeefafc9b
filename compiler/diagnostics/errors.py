"""The registry of diagnostics: what each code means, with a wrong and a right example."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import fill


@dataclass(frozen=True)
class Explanation:
    """`wrong` and `right` are empty where no text can show it; a `right` may be missing where it says nothing.

    `profile`: of the kernel for which they are so; empty: of any.
    """

    code: str
    title: str
    explanation: str
    wrong: str
    right: str
    profile: str = ""

    def render(self) -> str:
        """As `cpolc explain` shows it, without a newline at its end."""
        parts = [f"{self.code}: {self.title}", fill(self.explanation, 88, break_on_hyphens=False)]
        for word, example in (("Wrong", self.wrong), ("Right", self.right)):
            if example:
                where = f", with --profile {self.profile}" if self.profile else ""
                parts.append(f"{word}{where}:\n\n" + "\n".join(f"    {line}" for line in example.splitlines()))
        return "\n\n".join(parts)


@cache
def registry() -> dict[str, Explanation]:
    """Every code, in order."""
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
        )
        for code, entry in entries.items()
    }


def explain(code: str) -> Explanation | None:
    """What `code` means, whatever its case."""
    return registry().get(code.strip().upper())
