"""The tree of cgroups, and which of them a rule or the name of a unit means."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from cpol.errors import UserError
from cpol.runtime.operate.apply.config import UNITS, Rule

SLICE = ".slice"
TO_MOUNT = (
    "no cgroup2 hierarchy is mounted; mount it: mount -t cgroup2 none /sys/fs/cgroup (where version 1 is mounted "
    "there, boot with systemd.unified_cgroup_hierarchy=1)"
)
"""As the loader says it (loader/system/cgroup.c)."""

PROCS = "cgroup.procs"
"""A file that each cgroup has."""


@dataclass(frozen=True)
class Cgroup:
    """A cgroup that is there."""

    path: str
    parts: tuple[str, ...]
    """Its names below the root."""
    id: int
    """The number of its inode, which a cgroup of the same path that comes later does not have."""

    @property
    def unit(self) -> str | None:
        """The name of its unit of systemd; None: it is none of the system's units.

        systemd puts units into slices. What stands below a service or a scope belongs to that one, or to a user
        to whom it was delegated, and may have any name. A cgroup without such an ending is somebody else's.
        """
        if not all(part.endswith(SLICE) for part in self.parts[:-1]) or not self.parts[-1].endswith(UNITS):
            return None
        return self.parts[-1].removeprefix("_")  # which systemd puts before names that the kernel could have


def check_mounted(root: Path) -> None:
    """Refuse to look for cgroups where there can be none.

    Raises:
        UserError: no cgroup2 hierarchy is mounted.
    """
    if not root.is_relative_to("/sys"):  # a tree that only looks like cgroups
        return
    with suppress(OSError):
        if " - cgroup2 " not in Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace"):
            raise UserError(f"there are no cgroups below {root}: {TO_MOUNT}")


def walk(root: Path) -> Iterator[Cgroup]:
    """All cgroups below `root`, parents first. One that goes meanwhile is left out.

    So is one whose path is longer than the kernel takes. A user to whom a cgroup was delegated may nest them as deep,
    hence no recursion.
    """
    waiting: list[tuple[tuple[str, ...], int]] = [((), 0)]  # the last one is next
    while waiting:
        parts, number = waiting.pop()
        folder = "/".join((str(root), *parts))
        if parts:
            yield Cgroup(folder, parts, number)
        try:
            with os.scandir(folder) as entries:
                found = sorted((entry.name, entry.inode()) for entry in entries if entry.is_dir(follow_symlinks=False))
        except OSError:
            continue
        waiting += [((*parts, name), number) for name, number in reversed(found)]


def find(path: Path, root: Path) -> Cgroup | None:
    """The cgroup of that path; None: there is none.

    A path with `..` in it is refused: it may lead out of the tree, where the number of an inode is no cgroup's id.
    """
    try:
        if ".." in path.parts or not (path / PROCS).is_file():
            return None
        return Cgroup(str(path), path.relative_to(root).parts, path.stat().st_ino)
    except (OSError, ValueError):
        return None


def rule_of(cgroup: Cgroup, rules: Sequence[Rule]) -> Rule | None:
    """The last rule that names the cgroup, so that later files decide over earlier ones."""
    return next((rule for rule in reversed(rules) if matches(rule, cgroup)), None)


def matches(rule: Rule, cgroup: Cgroup) -> bool:
    """Whether the rule names the cgroup, by its path or by its unit."""
    unit = cgroup.unit
    if unit is not None and any(fnmatchcase(unit, pattern) for pattern in rule.units):
        return True
    return any(_fits(cgroup.parts, pattern.split("/")) for pattern in rule.cgroups)


def _fits(parts: Sequence[str], patterns: Sequence[str]) -> bool:
    return len(parts) == len(patterns) and all(map(fnmatchcase, parts, patterns))
