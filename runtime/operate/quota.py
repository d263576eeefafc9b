"""How a cgroup gets a quota of cached pages: by which policy, and which param of it."""

from __future__ import annotations

from typing import Final

from cpol.compiler.expand.quota import MAX_PAGES, PARAM
from cpol.errors import RequestError
from cpol.runtime.simulate.runs.capacity import read_capacity

OWN: Final = "quota"
"""The policy of the standard library that has a quota of its own."""
LIMIT: Final = "limit"
"""Its param."""


def pages_of(size: str) -> int:
    """The pages of a size, at least one.

    Raises:
        RequestError: it is no size.
    """
    try:
        pages = read_capacity(size)
    except RequestError:
        pages = 0
    if not isinstance(pages, int) or not 1 <= pages <= MAX_PAGES:
        raise RequestError(f"{size} is no size of a quota: write 200M, 2G, or pages of 4 KiB, such as 51200")
    return pages


def param_of(policy: str) -> str:
    """The live param that holds the quota: OWN has one, and other policies get one."""
    return LIMIT if policy == OWN else PARAM


def sets(setting: str, param: str) -> bool:
    """Whether a setting NAME=VALUE sets the param."""
    return setting.split("=")[0].strip() == param
