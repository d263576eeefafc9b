"""Which profile fits a kernel, and what that kernel lacks of it: by the names in its BTF.

A kernel can be older than the profile of its kind: a module that was built before an update lacks a kfunc or an event.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

Entries = dict[str, Any]
"""What a profile's file says."""

NO_NAMES: Final = ("refused", "targets", "struct_ops")
"""Entries under `events` and `prefetch` that name no member of a struct_ops type."""
KFUNC_OF: Final = {"pins": "bpf_cache_ext_pin", "reclaim": "bpf_cache_ext_reclaim"}
"""The kfunc without which a kernel cannot do what an entry says."""


def having(profiles: Iterable[tuple[Entries, Path]], known: bytes) -> tuple[Entries, Path] | None:
    """The profile of which all names to detect it by are in the kernel's BTF; of several, the one that has most."""
    fitting = [one for one in profiles if (names := _detect(one[0])) and all(_in(name, known) for name in names)]
    return max(fitting, key=lambda one: len(_detect(one[0])), default=None)


def reduced(entries: Entries, known: bytes) -> Entries:
    """The entries without events, kfuncs and abilities whose names are not in the kernel's BTF."""
    left = copy.deepcopy(entries)
    for section, key, name in [*_members(entries)]:
        if not _in(name, known):
            del left[section][key]
    left["kfuncs"] = {
        member: [name for name in kfuncs if _in(name, known)] for member, kfuncs in entries["kfuncs"].items()
    }
    for ability, kfunc in KFUNC_OF.items():
        if left.get(ability) and not _in(kfunc, known):
            left[ability] = False
    return left


def lacks(entries: Entries, left: Entries) -> list[str]:
    """The names that `reduced` took away, each once."""
    members = {name for _, _, name in _members(entries)} - {name for _, _, name in _members(left)}
    kfuncs = {name for names in entries["kfuncs"].values() for name in names}
    return sorted(members | kfuncs - {name for names in left["kfuncs"].values() for name in names})


def as_toml(entries: Entries) -> str:
    """A profile's file that says this by itself."""
    plain = [f"{key} = {_value(value)}\n" for key, value in entries.items() if not isinstance(value, dict)]
    tables = [
        f"\n[{table}]\n" + "".join(f"{key} = {_value(value)}\n" for key, value in found.items())
        for table, found in entries.items()
        if isinstance(found, dict)
    ]
    return "".join((*plain, *tables))


def _detect(entries: Entries) -> list[str]:
    """The names that a kernel of the profile has in its BTF."""
    return [name for names in entries.get("detect", {}).values() for name in names]


def _members(entries: Entries) -> Iterator[tuple[str, str, str]]:
    """Section, key and name of each member of a struct_ops type that the entries name."""
    for section in ("events", "prefetch"):
        for key, name in entries.get(section, {}).items():
            if isinstance(name, str) and name and key not in NO_NAMES:
                yield section, key, name


def _in(name: str, known: bytes) -> bool:
    return b"\0" + name.encode() + b"\0" in known


def _value(value: Any) -> str:
    """Texts, numbers, truth values and lists are the same in JSON and TOML, but for characters that JSON escapes."""
    return json.dumps(value, ensure_ascii=False)
