"""How a cgroup gets a quota of cached pages: by which policy, and which param of it."""

from __future__ import annotations

import re
from typing import Final

from cpol.compiler.vocabulary.quota import MAX_PAGES, PARAM
from cpol.errors import RequestError
from cpol.runtime.simulate.runs.capacity import read_capacity

OWN: Final = "quota"
"""The policy of the standard library that has a quota of its own."""
LIMIT: Final = "limit"
"""Its param."""


HELP: Final = "; write 200M, 2G, or pages of 4 KiB, such as 51200"
"""What to write."""


def pages_of(size: str) -> int:
    """The pages of a size, at least one.

    Raises:
        RequestError: it is no size.
    """
    if re.fullmatch(r"[0-9]*\.[0-9]*", size, re.ASCII):
        raise RequestError(f"{size} is no whole number of pages{HELP}")
    try:
        pages = read_capacity(size, "size of a quota", HELP)
    except RequestError as error:
        raise RequestError(str(error)) from None  # of no option
    assert isinstance(pages, int)
    if pages > MAX_PAGES:
        raise RequestError(f"{size} is too large: the most is {MAX_PAGES:,} pages (4P){HELP}")
    return pages


def param_of(policy: str) -> str:
    """The live param that holds the quota: OWN has one, and other policies get one."""
    return LIMIT if policy == OWN else PARAM


def sets(setting: str, param: str) -> bool:
    """Whether a setting NAME=VALUE sets the param."""
    return setting.split("=")[0].strip() == param
