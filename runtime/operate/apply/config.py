"""Reads /etc/cpol.d/*.conf: sections of `key = value`, as systemd has them, which name a policy and its cgroups."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.toolchain import trust
from cpol.compiler.toolchain.process import ToolError
from cpol.errors import RequestError
from cpol.runtime.operate import quota

FOLDER: Final = Path("/etc/cpol.d")
CGROUPS: Final = Path("/sys/fs/cgroup")
NO_POLICY: Final = "none"
MAX_FILE: Final = 1 << 20
"""Bytes."""
ONE_VALUE: Final = ("policy", "quota", "input-group")
MANY_VALUES: Final = ("cgroup", "unit", "set", "input")
KEYS: Final = (*ONE_VALUE, *MANY_VALUES)
UNITS: Final = (".service", ".slice", ".scope")
OBJECT_SUFFIX: Final = ".bpf.o"


class ConfigError(Exception):
    """A file is wrong. The message begins with its path, line and column, and says what to write instead."""


@dataclass(frozen=True)
class Rule:
    """A section: one policy, and which cgroups get it."""

    path: Path
    line: int
    """Of the section's head, from 1."""
    name: str
    policy: str
    """A name of the standard library, an absolute path, or NO_POLICY."""
    cgroups: tuple[str, ...] = ()
    """Patterns of paths below CGROUPS, without it."""
    units: tuple[str, ...] = ()
    """Patterns of names of systemd's units."""
    settings: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    input_group: str | None = None
    quota: int | None = None
    """The pages that each of the cgroups may cache; None: as many as fit."""

    @property
    def all_settings(self) -> tuple[str, ...]:
        """The settings, with the one that holds the quota."""
        return self.settings if self.quota is None else (f"{quota.param_of(self.policy)}={self.quota}", *self.settings)

    @property
    def quota_to_add(self) -> int | None:
        """The pages of a quota that the policy's text does not have."""
        return None if self.policy == quota.OWN else self.quota

    @property
    def where(self) -> str:
        """The file and line, for messages."""
        return f"{self.path}:{self.line}"


@dataclass
class _Section:
    line: int
    column: int
    name: str
    values: dict[str, list[str]] = field(default_factory=dict)


def read_folder(folder: Path) -> list[Rule]:
    """The rules of all files *.conf of a folder, in the order of their names. There are none without /etc/cpol.d.

    Raises:
        ConfigError: another folder is not there, or a link to one is broken; a file is wrong, cannot be read, or
            another user but root can write it.
    """
    instead = "the commands that it names run as root"
    try:
        if not folder.exists():
            if folder == FOLDER and not folder.is_symlink():
                return []
            raise ConfigError(
                f"there is no folder {folder}; name the one with your files *.conf, or detach what they attached by "
                "`cpolc apply --detach`"
            )
        checked = trust.own_folder(folder, instead)
        paths = sorted(path for path in checked.iterdir() if path.suffix == ".conf" and path.name[0] != ".")
        return [rule for path in paths for rule in parse(_read(trust.own_file(path, instead)), path)]
    except ToolError as error:
        raise ConfigError(str(error)) from None
    except OSError as error:
        raise ConfigError(f"cannot read {folder}: {error.strerror}") from None


def _read(path: Path) -> str:
    with path.open("rb") as file:
        content = file.read(MAX_FILE + 1)
    if len(content) > MAX_FILE:
        raise ConfigError(f"{path}:1:1: the file is larger than {MAX_FILE >> 20} MiB")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
        raise ConfigError(f"{path}:{line}:{column}: the file is not UTF-8") from None


def parse(text: str, path: Path) -> list[Rule]:
    """The rules of one file.

    Raises:
        ConfigError: the text is wrong.
    """
    sections: list[_Section] = []
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if not stripped or stripped[0] in "#;":
            continue
        column = len(line) - len(line.lstrip()) + 1
        if stripped[0] == "[":
            if not re.fullmatch(r"\[[^\[\]]+\]", stripped):
                raise _bad(path, number, column, "a section's head is [NAME], alone on its line")
            sections.append(_Section(number, column, stripped[1:-1].strip()))
        elif not sections:
            raise _bad(path, number, column, "this line is in no section; write [NAME] above it")
        else:
            _take(sections[-1], line, path, number)
    return [_rule(section, path) for section in sections]


def _take(section: _Section, line: str, path: Path, number: int) -> None:
    """Read a line `key = value`."""
    key, equals, value = line.partition("=")
    column, key = len(key) - len(key.lstrip()) + 1, key.strip()
    if not equals:
        raise _bad(path, number, column, f"`{key}` has no value; write KEY = VALUE")
    if key not in KEYS:
        raise _bad(
            path, number, column, f"there is no key `{key}`; {suggest(key, KEYS) or f'the keys are {listing(KEYS)}'}"
        )
    at = len(line) - len(value.lstrip()) + 1
    value = value.strip()
    if not value:
        raise _bad(path, number, at, f"`{key}` has no value; write {key} = VALUE")
    if not value.isprintable():
        raise _bad(path, number, at, f"the value of `{key}` has a character that cannot be printed")
    if key in ONE_VALUE and key in section.values:
        raise _bad(path, number, column, f"`{key}` was given before in this section, which has one; remove a line")
    comment = None if key == "input" else re.search(r"\s[#;]", value)
    if comment:
        at += comment.start() + 1
        what = f"a comment stands on a line of its own; move `{value[comment.start() + 1 :]}` there"
        raise _bad(path, number, at, f"{what} (in a name, write ? for the character)" if key == "cgroup" else what)
    wrong = CHECKS[key](value)
    if wrong:
        raise _bad(path, number, at, wrong)
    section.values.setdefault(key, []).append(value)


def _rule(section: _Section, path: Path) -> Rule:
    values = section.values
    if "policy" not in values and "quota" not in values:
        what = f"[{section.name}] names no policy; add a line policy = NAME, or quota = 200M for LRU with a quota"
        raise _bad(path, section.line, section.column, what)
    policy = values.get("policy", [quota.OWN])[0]
    if not values.get("cgroup") and not values.get("unit"):
        what = f"[{section.name}] names no cgroup; add a line cgroup = PATH or unit = NAME.service"
        raise _bad(path, section.line, section.column, what)
    given = [key for key in ("quota", "set", "input", "input-group") if key in values]
    if policy == NO_POLICY and given:
        what = f"[{section.name}] has `{given[0]}`, but policy = {NO_POLICY} takes no settings; remove the line"
        raise _bad(path, section.line, section.column, what)
    if "quota" in values:
        _check_quota_of(section, policy, path)
    return Rule(
        path,
        section.line,
        section.name,
        policy,
        tuple(pattern[len(str(CGROUPS)) + 1 :].rstrip("/") for pattern in values.get("cgroup", [])),
        tuple(values.get("unit", [])),
        tuple(values.get("set", [])),
        tuple(values.get("input", [])),
        values["input-group"][0] if "input-group" in values else None,
        quota.pages_of(values["quota"][0]) if "quota" in values else None,
    )


def _check_quota_of(section: _Section, policy: str, path: Path) -> None:
    """A quota is given once, to a policy that can be compiled with it."""
    if policy.endswith(OBJECT_SUFFIX):
        what = f"[{section.name}] has `quota`, but {policy} is compiled already; name its .cpol file"
        raise _bad(path, section.line, section.column, what)
    param = quota.param_of(policy)
    if any(quota.sets(setting, param) for setting in section.values.get("set", [])):
        what = f"[{section.name}] has `quota`, which sets {param}; remove the line set = {param}=…"
        raise _bad(path, section.line, section.column, what)


def _bad(path: Path, line: int, column: int, what: str) -> ConfigError:
    return ConfigError(f"{path}:{line}:{column}: {what}")


def _check_policy(value: str) -> str | None:
    if value.startswith("/"):
        ends = value.endswith((".cpol", OBJECT_SUFFIX))
        return None if ends else f"{value} is no policy; its name ends with .cpol or {OBJECT_SUFFIX}"
    if "/" in value or value.endswith((".cpol", OBJECT_SUFFIX)):
        return f"`{value}` is no name of the standard library; name a file by its whole path, from /"
    return None


def _check_cgroup(value: str) -> str | None:
    below = value.removeprefix(f"{CGROUPS}/").rstrip("/")
    if below == value.rstrip("/") or not below:
        return f"`{value}` is no cgroup; write {CGROUPS}/NAME, with * and ? for parts of a name"
    parts = below.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return "a path of a cgroup has no empty parts, and no `.` or `..`"
    if any("**" in part for part in parts):
        return "`**` is not known here; write a * for each level, in a line of its own"
    return None


def _check_unit(value: str) -> str | None:
    if "/" in value:
        return f"`{value}` is no unit; write its name alone, or its cgroup as cgroup = {CGROUPS}/…"
    return None if value.endswith(UNITS) else f"`{value}` has no cgroup; units that have end with {', '.join(UNITS)}"


def _check_setting(value: str) -> str | None:
    return None if re.match(r"\w+=\S", value) else f"`{value}` is not NAME=VALUE, without spaces around the `=`"


def _check_quota(value: str) -> str | None:
    try:
        quota.pages_of(value)
    except RequestError as error:
        return str(error)
    return None


CHECKS: Final[dict[str, Callable[[str], str | None]]] = {
    "policy": _check_policy,
    "quota": _check_quota,
    "cgroup": _check_cgroup,
    "unit": _check_unit,
    "set": _check_setting,
    "input": _check_setting,
    "input-group": lambda value: None if " " not in value else f"`{value}` is no group: name one",
}
"""By key: says what is wrong with a value."""
