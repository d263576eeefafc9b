"""Block devices, as the kernel numbers them."""

from __future__ import annotations

import re

MAX_MAJOR, MAX_MINOR = 2**12 - 1, 2**20 - 1

_FORM = re.compile(r"([0-9]{1,4}):([0-9]{1,7})", re.ASCII)


def number(major: int, minor: int) -> int:
    return major << 20 | minor


def parse(text: str) -> int | None:
    """The number of `MAJOR:MINOR`; None: it is not one."""
    found = _FORM.fullmatch(text)
    major, minor = (int(part) for part in found.groups()) if found else (MAX_MAJOR + 1, 0)
    return number(major, minor) if major <= MAX_MAJOR and minor <= MAX_MINOR else None
