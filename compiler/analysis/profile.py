"""Checks a policy against a kernel profile (kernel/profiles/*.toml), before clang and the verifier.

A profile lists the kernel's events, kfuncs and limits. Attaching is not part of this module.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cpol.compiler import ir
from cpol.compiler.analysis.upper_bound import Setting, upper_bound
from cpol.compiler.contract import KFUNCS
from cpol.compiler.diagnostics import Diagnostic
from cpol.compiler.diagnostics.source import Source
from cpol.compiler.ir import layout, walk
from cpol.compiler.toolchain.target import CACHE_EXT_TARGET, LAYERS, Target
from cpol.compiler.vocabulary.around import TASK as TASK_ATTRIBUTES
from cpol.compiler.vocabulary.event import EVENTS, PREFETCH_EVENTS, Event
from cpol.compiler.vocabulary.folio import FILE, READ_OF_FOLIOS

SCAN = "bpf_iter_cache_ext_scan_new"
TICK = "bpf_cache_ext_tick"
TASK = "bpf_get_current_pid_tgid"
TASK_START = "bpf_get_current_task_btf"
"""It tells the record of a thread from that of an earlier one with the same number."""
COMM = "bpf_get_current_comm"


_KINDS = {str: "text", dict: "table"}


class ProfileError(Exception):
    """The file is not a profile. The message says why."""


@dataclass(frozen=True)
class Profile:
    """A kernel profile.

    - `events`: the struct_ops member of each event.
    - `prefetch`: the members of the struct_ops type for prefetching, by name; empty if the kernel has none.
    - `kfuncs`: names by member; those under `any` are for all members; by default those of the contract.
    - `helpers`: names for all programs; None if the profile does not list them.
    - `interface`: the header to check objects against; None for our own kernels.
    - `folio`: which attributes programs can read, of those that not every kernel tells (`told`).
    - `task`: whether programs can read `writes`.
    - `pins`: whether policies may pin folios.
    - `reclaim`: whether policies may ask for evictions.
    - `inputs`: whether something fills inputs.
    - `kind`: what it is, in messages: a kernel, or a glue that runs on any.
    - `sleepable`: members whose programs may sleep.
    """

    name: str
    about: str = ""
    events: dict[str, Any] = field(default_factory=dict)
    limits: dict[str, int] = field(default_factory=dict)
    kfuncs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)
    helpers: tuple[str, ...] | None = None
    target: Target = CACHE_EXT_TARGET
    struct_ops: str = ""
    interface: Path | None = None
    sleepable: tuple[str, ...] = ()
    folio: tuple[str, ...] = ()
    task: tuple[str, ...] = ()
    prefetch: dict[str, Any] = field(default_factory=dict)
    pins: bool = False
    reclaim: bool = False
    inputs: bool = True
    kind: str = "kernel"

    @property
    def elsewhere(self) -> str:
        """What to do if the policy shall stay as it is."""
        return "use another kernel" if self.kind == "kernel" else "attach it on a kernel with cache_ext"

    def offers(self, kfunc: str, member: str) -> bool:
        return kfunc in self.kfuncs.get(member, ()) or kfunc in self.kfuncs.get("any", ())

    def knows(self, kfunc: str) -> bool:
        return any(kfunc in names for names in self.kfuncs.values())


@dataclass(frozen=True)
class Refusal:
    """What a kernel cannot do for a policy, why, and what to write instead.

    `code` is a diagnostic code.
    """

    code: str
    pos: ir.Pos
    what: str
    why: str
    help: str

    def diagnostic(self, source: Source, profile: Profile) -> Diagnostic:
        message = f"{self.what}, but the {profile.kind} {profile.name} {self.why}"
        return Diagnostic(self.code, message, source, source.word(self.pos), help=self.help)


def _contract_kfuncs() -> dict[str, list[str]]:
    """The kfuncs of the contract by the members that may call them, as a profile names them."""
    found: dict[str, list[str]] = {}
    for kfunc, members in KFUNCS.items():
        for member in members or ("any",):
            found.setdefault(member, []).append(kfunc)
    return found


def read_profile(path: Path) -> Profile:
    """Read a profile.

    Raises:
        ProfileError: the file cannot be read or is not a profile.
    """
    return profile_of(read_entries(path), path)


def read_entries(path: Path) -> dict[str, Any]:
    """The entries of a profile. One with a `base` has what the profile of that name has, but for what it says itself.

    Raises:
        ProfileError: the file cannot be read, or its base is none.
    """
    data = _text_of(path)
    base = data.get("base")
    if base is not None:
        if not isinstance(base, str) or "/" in base or "base" in (known := _text_of(path.parent / f"{base}.toml")):
            raise ProfileError(f"{path}: `base` names a profile beside it, which has none itself, not {base!r}")
        data = {**known, **{key: _over(known.get(key), value) for key, value in data.items() if key != "base"}}
    return {"kfuncs": _contract_kfuncs(), **data}


def profile_of(data: dict[str, Any], path: Path) -> Profile:
    """The profile that has these entries, of a file at `path`.

    Raises:
        ProfileError: an entry is missing or wrong.
    """
    for key, kind in (("name", str), ("events", dict), ("limits", dict)):
        if not isinstance(data.get(key), kind):
            what = f"its `{key}` is no {_KINDS[kind]}" if key in data else f"it has no `{key}`"
            raise ProfileError(f"{path} is not a profile: {what}; kernel/profiles/ has examples")
    try:
        return Profile(
            name=data["name"],
            about=data.get("about", ""),
            kind=data.get("kind", "kernel"),
            events=dict(data["events"]),
            limits={key: int(value) for key, value in data["limits"].items()},
            kfuncs={member: tuple(names) for member, names in data["kfuncs"].items()},
            memory={key: int(value) for key, value in data.get("memory", {}).items()},
            helpers=tuple(data["helpers"]) if "helpers" in data else None,
            target=_target(data),
            struct_ops=data.get("struct_ops", ""),
            sleepable=tuple(data.get("sleepable", ())),
            folio=tuple(data.get("folio", ())),
            task=tuple(data.get("task", ())),
            prefetch=dict(data.get("prefetch", {})),
            pins=bool(data.get("pins", False)),
            reclaim=bool(data.get("reclaim", False)),
            inputs=bool(data.get("inputs", True)),
            interface=path.parent / data["interface"] if "interface" in data else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ProfileError(f"{path} is not a profile: {error!r}; kernel/profiles/ has examples") from None


def _text_of(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ProfileError(f"cannot read the profile {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ProfileError(f"{path} is not a profile: it is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"{path} is not a profile, which is TOML: {error}") from None


def _over(base: Any, value: Any) -> Any:
    """A value in place of that of the base; of a table, each entry in place of the base's, "" as if it had none."""
    if not (isinstance(base, dict) and isinstance(value, dict)):
        return value
    return {key: known for key, known in {**base, **value}.items() if known != ""}


def _target(data: dict[str, Any]) -> Target:
    layer = data.get("layer", "")
    if layer not in LAYERS:
        raise ValueError(f"there is no layer {layer!r}")
    return Target(layer, data["name"]) if layer else CACHE_EXT_TARGET


def refusals(policy: ir.Policy, profile: Profile, setting: Setting) -> list[Refusal]:
    """All refusals, in text order. `setting` has the capacity and params of the attach."""
    found = [
        *_lists(policy, profile, setting),
        *_record(policy, profile),
        *_events(policy, profile),
        *_everies(policy, profile, setting),
        *_tables(policy, setting),
        *_scans(policy, profile, setting),
        *_tasks(policy, profile),
        *_flags(policy, profile),
        *_pins(policy, profile),
        *_reclaims(policy, profile),
        *_inputs(policy, profile),
    ]
    return sorted(found, key=lambda refusal: (refusal.pos.line, refusal.pos.column))


def _lists(policy: ir.Policy, profile: Profile, setting: Setting) -> Iterator[Refusal]:
    plain = len(policy.plain_lists)
    limit = profile.limits.get("lists", ir.MAX_LISTS)
    if plain > limit:
        first = next(iter(policy.handlers.values()))
        yield Refusal("E0501", first.pos, f"the policy has {plain} lists", f"has {limit}", f"use at most {limit}")
    total, lists = profile.limits.get("lists_total", ir.MAX_LISTS + ir.MAX_LIST_ARRAY), plain
    in_arrays = 0
    for array in policy.list_arrays:
        if "list_array" not in profile.limits:
            yield Refusal(
                "E0502",
                array.pos,
                f"`{array.name}` is an array of lists",
                "cannot make one",
                f"use at most {limit} lists with names",
            )
            return
        length = upper_bound(array.length, setting, {}).raw
        lists += length
        in_arrays += length
        if length <= ir.MAX_LIST_ARRAY < in_arrays:
            yield Refusal(
                "E0502",
                array.pos,
                f"`{array.name}` would have {length:,} lists, all arrays {in_arrays:,}",
                f"has {ir.MAX_LIST_ARRAY:,} in all arrays",
                "use smaller lengths",
            )
            return
        if lists > total:
            yield Refusal(
                "E0502",
                array.pos,
                f"`{array.name}` would have {length:,} lists, the policy {lists:,}",
                f"has {total:,}",
                "use a smaller length",
            )
            return


def _record(policy: ir.Policy, profile: Profile) -> Iterator[Refusal]:
    """Refuse a record that is too large, at the first field that exceeds the limit."""
    limit = profile.limits.get("folio_data")
    members = layout.kernel_record(policy, every_access=profile.target.every_access)
    size = layout.record_size(members)
    if limit is None or size <= limit:
        return
    hidden = [member for member in members if member.name == layout.TOUCHED]
    for number in range(1, len(policy.fields) + 1):
        if layout.record_size([*layout.record(policy.fields[:number]), *hidden]) > limit:
            last = policy.fields[number - 1]
            what = f"with `{last.name}`, a folio's record takes more than {limit} bytes (in all {size})"
            yield Refusal("E0503", last.pos, what, f"keeps {limit} for each folio", "use fewer or narrower fields")
            return


def _reported(event: Event) -> str:
    """The event that a kernel must report for this one, by its name in profiles; empty: none."""
    return event.name if event.reported is None else event.reported


def tells(profile: Profile, event: Event) -> bool:
    """Whether a policy can handle the event on that kernel."""
    if event.name in PREFETCH_EVENTS:
        return bool(profile.prefetch.get(event.programs[0]))
    return not _reported(event) or bool(profile.events.get(_reported(event)))


def _events(policy: ir.Policy, profile: Profile) -> Iterator[Refusal]:
    for event, handler in policy.handlers.items():
        if not tells(profile, EVENTS[event]):
            yield Refusal(
                "E0504",
                handler.pos,
                f"the policy handles `{event}`",
                "does not report it",
                f"leave the handler out, or {profile.elsewhere}",
            )


def _everies(policy: ir.Policy, profile: Profile, setting: Setting) -> Iterator[Refusal]:
    for every in policy.everies:
        asks = bool(every.body) and all(isinstance(stmt, ir.WantEviction) for stmt in every.body)
        if asks and not profile.reclaim:
            continue  # it only asks for evictions, as `cache up to` does, and _reclaims refuses that
        if not profile.events.get("tick") or (every.unit == "events" and not profile.knows(TICK)):
            yield Refusal(
                "E0505",
                every.pos,
                f"the policy has an `every … {every.unit}`",
                "has no ticks",
                f"do the work in a handler, or {profile.elsewhere}",
            )
            continue
        period = upper_bound(every.period, setting, {}).raw
        longest = profile.limits.get("tick_ms")
        if every.unit == "ms" and longest is not None and period > longest:
            yield Refusal(
                "E0506",
                every.pos,
                f"the period of an `every` is {period:,} ms",
                f"has at most {longest:,} ms between ticks",
                f"use a period of {longest:,} ms or less",
            )


def _tables(policy: ir.Policy, setting: Setting) -> Iterator[Refusal]:
    for table in policy.tables:
        total = 1
        for size in table.sizes:
            total *= max(upper_bound(size, setting, {}).raw, 1)
        if total > ir.MAX_TABLE:
            yield Refusal(
                "E0507",
                table.pos,
                f"`{table.name}` would have {total:,} elements at a capacity of {setting.capacity:,} pages",
                f"holds {ir.MAX_TABLE:,}",
                "use smaller sizes",
            )


def _scans(policy: ir.Policy, profile: Profile, setting: Setting) -> Iterator[Refusal]:
    limit = profile.limits.get("scan")
    for event, handler in policy.handlers.items():
        member = str(profile.events.get(_reported(EVENTS[event]), ""))
        for stmt in walk.statements(handler.body):
            if not isinstance(stmt, ir.Scan | ir.EvictByScore):
                continue
            if event != "evict" and not profile.offers(SCAN, member):
                yield Refusal(
                    "E0508",
                    stmt.pos,
                    f"`on {event}` scans `{stmt.list.name}`",
                    "lets only `on evict` do so",
                    "move the folios in `on evict`",
                )
                continue
            if stmt.end is ir.End.TAIL and not profile.knows(SCAN):
                yield Refusal(
                    "E0510",
                    stmt.pos,
                    f"this scans `{stmt.list.name}` from its tail",
                    "only scans from the head",
                    "turn the list around: put folios at its head instead of its tail, and scan from the head",
                )
            if stmt.bound is None or limit is None:
                continue
            bound = upper_bound(stmt.bound, setting, {})
            if bound.exact and "capacity" not in bound.text and bound.raw > limit:
                yield Refusal(
                    "E0509",
                    stmt.pos,
                    f"this visits up to {bound.raw:,} folios of `{stmt.list.name}`",
                    f"lets a scan visit {limit:,}",
                    f"write `up to {limit}` or less",
                )


def _tasks(policy: ir.Policy, profile: Profile) -> Iterator[Refusal]:
    helpers = profile.helpers
    for pos, root in _roots(policy) if "writes" not in profile.task else ():
        if any(isinstance(e, ir.TaskAttr) and e.attr == "writes" for e in walk.walk(root)):
            what, why = "this reads `task.writes`", "does not tell programs whether it reads or writes"
            yield Refusal("E0511", pos, what, why, "read `f.dirty`, which is true some time after a write")
    if helpers is None:
        return
    for record in (ghost for ghost in policy.ghosts if ghost.key == "task"):
        if TASK not in helpers or TASK_START not in helpers:
            what = "the policy keeps a record of each thread"
            yield Refusal("E0511", record.pos, what, "does not tell threads apart", "use `file up to …` or an input")
    if TASK in helpers and COMM in helpers:
        return
    lacking = {known.name for known in TASK_ATTRIBUTES.values() if known.helper and known.helper not in helpers}
    for pos, root in _roots(policy):
        for attr in sorted({e.attr for e in walk.walk(root) if isinstance(e, ir.TaskAttr)} & lacking):
            yield Refusal(
                "E0511",
                pos,
                f"this reads `task.{attr}`",
                "does not provide it",
                "read `task.process`" if TASK in helpers else "read `f.file`, or use an input of files or pages",
            )


def _flags(policy: ir.Policy, profile: Profile) -> Iterator[Refusal]:
    lacking = {attribute.name for attribute in READ_OF_FOLIOS.values() if attribute.told} - set(profile.folio)
    for pos, root in _roots(policy) if lacking else ():
        read = {(e.folio, e.attr) for e in walk.walk(root) if isinstance(e, ir.FolioAttr) and e.attr in lacking}
        for folio, attr in sorted(read):
            of = "file." if attr in FILE else ""
            what, why = f"this reads `{folio}.{of}{attr}`", "does not let programs read that"
            yield Refusal("E0513", pos, what, why, f"decide without it, or {profile.elsewhere}")


def _pins(policy: ir.Policy, profile: Profile) -> Iterator[Refusal]:
    if policy.pin is not None and not profile.pins:
        what, why = "the policy pins folios", "cannot pin them"
        yield Refusal("E0514", policy.pin.pos, what, why, "put them on a list that `on evict` scans last")


def _reclaims(policy: ir.Policy, profile: Profile) -> Iterator[Refusal]:
    done = (stmt for body in walk.bodies(policy) for stmt in walk.statements(body))
    first = next((stmt for stmt in done if isinstance(stmt, ir.WantEviction)), None)
    if first is not None and not profile.reclaim:
        what, why = "the policy asks for evictions", "evicts only what it needs itself"
        yield Refusal("E0515", first.pos, what, why, "limit the cgroup by `memory.max` or `memory.high`")


def _inputs(policy: ir.Policy, profile: Profile) -> Iterator[Refusal]:
    if policy.inputs and not profile.inputs:
        first = policy.inputs[0]
        what = f"the policy has the input `{first.name}`"
        yield Refusal("E0516", first.pos, what, "fills no inputs", f"use a param in its place, or {profile.elsewhere}")


def _roots(policy: ir.Policy) -> Iterator[tuple[ir.Pos, ir.Expr]]:
    """The expressions that run in a kernel."""
    done = [stmt for body in walk.bodies(policy) for stmt in walk.statements(body)]
    yield from ((stmt.pos, root) for stmt in done for root in walk.expressions(stmt))
    yield from ((score.pos, score.body) for score in policy.scores)
    yield from ((fn.pos, root) for fn in policy.fns for root in walk.fn_roots(fn))
