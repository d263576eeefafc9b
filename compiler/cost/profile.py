"""What a kernel can carry (kernel/profiles/*.toml), and what of a policy it cannot: told before clang or
the verifier would.

A profile is data: the names of the kernel's events and kfuncs, and its limits. How it is attached is not read here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cpol.compiler import ir
from cpol.compiler.backend import layout
from cpol.compiler.cost.value import Setting, most

NEW_LISTS = "bpf_cache_ext_lists_create"
SCAN = "bpf_iter_cache_ext_scan_new"
TICK = "bpf_cache_ext_tick"


class ProfileError(Exception):
    """The file is no profile; the message says why."""


@dataclass(frozen=True)
class Profile:
    """`events`: the struct_ops member for each event. `kfuncs`: by member, and those for `any`."""

    name: str
    about: str = ""
    events: dict[str, Any] = field(default_factory=dict)
    limits: dict[str, int] = field(default_factory=dict)
    kfuncs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    detect: tuple[str, ...] = ()
    memory: dict[str, int] = field(default_factory=dict)

    def offers(self, kfunc: str, member: str) -> bool:
        return kfunc in self.kfuncs.get(member, ()) or kfunc in self.kfuncs.get("any", ())

    def knows(self, kfunc: str) -> bool:
        return any(kfunc in names for names in self.kfuncs.values())


@dataclass(frozen=True)
class Refusal:
    """`what` of the policy is refused, `why`, and what to write instead."""

    pos: ir.Pos
    what: str
    why: str
    help: str

    def text(self, path: str, profile: str) -> str:
        place = f"{path}:{self.pos.line}:{self.pos.column}"
        return f"{place}: {self.what}, and the kernel {profile} {self.why}; {self.help}"


def read_profile(path: Path) -> Profile:
    """Raises ProfileError."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ProfileError(f"cannot read the profile {path}: {error}") from None
    try:
        detect = data.get("detect", {})
        return Profile(
            name=data["name"],
            about=data.get("about", ""),
            events=dict(data["events"]),
            limits={key: int(value) for key, value in data["limits"].items()},
            kfuncs={member: tuple(names) for member, names in data["kfuncs"].items()},
            detect=(*detect.get("structs", ()), *detect.get("kfuncs", ())),
            memory={key: int(value) for key, value in data.get("memory", {}).items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ProfileError(f"{path} is not a profile: {error!r}; kernel/profiles/ has examples") from None


def refusals(policy: ir.Policy, profile: Profile, setting: Setting) -> list[Refusal]:
    """In the order of the text. `setting`: with which it would be attached."""
    found = [
        *_lists(policy, profile, setting),
        *_record(policy, profile),
        *_events(policy, profile),
        *_everies(policy, profile, setting),
        *_tables(policy, setting),
        *_scans(policy, profile, setting),
    ]
    return sorted(found, key=lambda refusal: (refusal.pos.line, refusal.pos.column))


def _lists(policy: ir.Policy, profile: Profile, setting: Setting) -> Iterator[Refusal]:
    array = policy.list_array
    plain = len(policy.lists) - (array is not None)
    limit = profile.limits.get("lists", ir.MAX_LISTS)
    if plain > limit:
        first = next(iter(policy.handlers.values()))
        yield Refusal(first.pos, f"the policy has {plain} lists", f"has {limit}", "use fewer")
    if array is None:
        return
    if not profile.offers(NEW_LISTS, "init"):
        yield Refusal(
            array.pos,
            f"`{array.name}` is an array of lists",
            "cannot make one",
            f"use at most {limit} lists with names",
        )
        return
    length = most(array.length, setting, {}).raw
    total = profile.limits.get("lists_total", ir.MAX_LISTS + ir.MAX_LIST_ARRAY)
    if plain + length > total:
        yield Refusal(
            array.pos,
            f"`{array.name}` would have {length:,} lists, the policy {plain + length:,}",
            f"has {total:,}",
            "use a smaller length",
        )


def _record(policy: ir.Policy, profile: Profile) -> Iterator[Refusal]:
    """The place is the first field with which the record is too large."""
    limit = profile.limits.get("folio_data")
    members = layout.kernel_record(policy)
    size = layout.record_size(members)
    if limit is None or size <= limit:
        return
    hidden = [member for member in members if member.name == layout.TOUCHED]
    for number in range(1, len(policy.fields) + 1):
        if layout.record_size([*layout.record(policy.fields[:number]), *hidden]) > limit:
            last = policy.fields[number - 1]
            what = f"with `{last.name}`, a folio's record takes more than {limit} bytes (in all {size})"
            yield Refusal(last.pos, what, f"keeps {limit} for each folio", "use fewer or narrower fields")
            return


def _events(policy: ir.Policy, profile: Profile) -> Iterator[Refusal]:
    for event, handler in policy.handlers.items():
        needed = {"first_accessed": "accessed", "init": "", "missed": ""}.get(event, event)
        if needed and not profile.events.get(needed):
            yield Refusal(
                handler.pos,
                f"the policy handles `{event}`",
                "does not tell a policy of it",
                "leave the handler out, or use another kernel",
            )


def _everies(policy: ir.Policy, profile: Profile, setting: Setting) -> Iterator[Refusal]:
    for every in policy.everies:
        if not profile.events.get("tick") or (every.unit == "events" and not profile.knows(TICK)):
            yield Refusal(
                every.pos,
                f"the policy acts every so many {every.unit}",
                "has no ticks",
                "do the work in a handler, or use another kernel",
            )
            continue
        period = most(every.period, setting, {}).raw
        longest = profile.limits.get("tick_ms")
        if every.unit == "ms" and longest is not None and period > longest:
            yield Refusal(
                every.pos,
                f"the policy acts every {period:,} ms",
                f"ticks every {longest:,} ms at the latest",
                "say less",
            )


def _tables(policy: ir.Policy, setting: Setting) -> Iterator[Refusal]:
    for table in policy.tables:
        total = 1
        for size in table.sizes:
            total *= max(most(size, setting, {}).raw, 1)
        if total > ir.MAX_TABLE:
            yield Refusal(
                table.pos,
                f"`{table.name}` would have {total:,} elements at a capacity of {setting.capacity:,} pages",
                f"holds {ir.MAX_TABLE:,}",
                "use smaller sizes",
            )


def _scans(policy: ir.Policy, profile: Profile, setting: Setting) -> Iterator[Refusal]:
    limit = profile.limits.get("scan")
    for event, handler in policy.handlers.items():
        member = str(profile.events.get({"first_accessed": "accessed"}.get(event, event), ""))
        for stmt in _statements(handler.body):
            if not isinstance(stmt, ir.Scan | ir.EvictLowest):
                continue
            if event != "evict" and not profile.offers(SCAN, member):
                yield Refusal(
                    stmt.pos,
                    f"`on {event}` scans `{stmt.list}`",
                    "lets only `on evict` do so",
                    "move the folios in `on evict`",
                )
            if stmt.bound is None or limit is None:
                continue
            bound = most(stmt.bound, setting, {})
            if bound.exact and "capacity" not in bound.text and bound.raw > limit:
                yield Refusal(
                    stmt.pos,
                    f"this visits up to {bound.raw:,} folios of `{stmt.list}`",
                    f"lets a scan visit {limit:,}",
                    f"write `up to {limit}` or less",
                )


def _statements(body: tuple[ir.Stmt, ...]) -> Iterator[ir.Stmt]:
    for stmt in body:
        yield stmt
        if isinstance(stmt, ir.If):
            yield from _statements(stmt.then)
            yield from _statements(stmt.orelse)
        elif isinstance(stmt, ir.Scan | ir.For):
            yield from _statements(stmt.body)
