"""Edits of texts at random, as somebody types: things come and go."""

from __future__ import annotations

import os
import random

WORDS = (
    *("f", " ", "}", "{", "evict f", "\n", "x", ".", "= 1", "// c\n", "///", '"', "\r", "\0", "é", "\U0001f600", "0"),
    *(
        "list ",
        "on ",
        "/// doc\n",
        "5 s ",
        "file up to 3 { a: u8 = 0 }\n",
        "test t() { access 1 }\n",
        "const C: u8 = 1 ",
    ),
)
"""What is typed: words and signs, parts of declarations, and what belongs into no policy."""


def seeded(more: object = "") -> tuple[str, random.Random]:
    """A seed, that of the environment if it has one, and the choices that it makes. It is printed."""
    seed = os.environ.get("CPOL_SEED") or str(random.randrange(1 << 32))
    print(f"CPOL_SEED={seed}")
    return seed, random.Random(f"{seed} {more}")


def edited(text: str, chance: random.Random) -> str:
    """The text with one thing typed, or taken away."""
    at = chance.randrange(len(text) + 1)
    match chance.randrange(6):
        case 0:
            return text[:at] + text[at + chance.randrange(1, 4) :]
        case 1:
            return text[:at] + text[at + chance.randrange(1, 400) :]
        case 2:
            lines = text.split("\n")
            first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
            lines[first], lines[second] = lines[second], lines[first]
            return "\n".join(lines)
        case _:
            return text[:at] + chance.choice(WORDS) + text[at:]
