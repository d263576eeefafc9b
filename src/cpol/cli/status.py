"""`cpolc status`: which policy a unit of systemd or a cgroup has, and why."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import click

from cpol.cli.errors import EXIT_FAILURE, CliError
from cpol.cli.once import Once
from cpol.printable import shown
from cpol.runtime.operate import loader
from cpol.runtime.operate.apply import attached
from cpol.runtime.operate.apply import config as rules
from cpol.runtime.operate.apply.cgroups import Cgroup, check_mounted, find, rule_of, walk
from cpol.runtime.operate.loader import statistics
from cpol.runtime.operate.trial.state import TAG
from cpol.sizes import duration

NUMBERS = ("hits", "misses", "refaults", "evicted", "fallback", "nomem", "offences", "owned")
"""The statistics that the command shows."""


@click.command(name="status", cls=Once)
@click.argument("unit")
@click.option("--config", type=click.Path(path_type=Path), default=rules.FOLDER, help=f"[default: {rules.FOLDER}]")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def command(unit: str, config: Path, as_json: bool) -> None:
    """Show the policy of UNIT, a unit of systemd (nginx, web.slice) or the path of a cgroup.

    It shows what attached the policy and when, its state and main statistics, and which section of
    /etc/cpol.d names the cgroup. The exit code is 1 if no policy governs.
    """
    cgroup = cgroup_of(unit)
    try:
        now = attached.read().get(cgroup.id)
        numbers = numbers_of(now) if now is not None else {}
    except loader.LoaderError as error:
        raise CliError(str(error)) from None
    facts = {**facts_of(cgroup, now), **rule_facts(cgroup, config)}
    facts["statistics"] = {key: numbers[key] for key in NUMBERS if key in numbers}
    click.echo(json.dumps(facts) if as_json else shown(text_of(facts)))
    if now is None or not now.governs:
        raise click.exceptions.Exit(EXIT_FAILURE)


def numbers_of(now: attached.Attached) -> dict[str, int]:
    """The statistics of a policy: not of another that the cgroup has beside it, nor of one that ended before.

    Raises:
        loader.LoaderError: the loader failed, or its output is malformed.
    """
    for one in statistics.read():
        is_there = one.end is None or one.end.held
        if is_there and (one.cgroup, one.prefetches) == (now.cgroup, now.prefetches):
            return one.numbers
    return {}


def cgroup_of(unit: str) -> Cgroup:
    """The cgroup of that path, or of that unit.

    Raises:
        CliError: there is none, or the unit does not run.
    """
    check_mounted(rules.CGROUPS)
    if "/" in unit:
        found = find(Path(unit), rules.CGROUPS)
        if found is None or not found.parts:
            raise CliError(f"there is no cgroup {unit} below {rules.CGROUPS}")
        return found
    name = unit if unit.endswith(rules.UNITS) else f"{unit}.service"
    for one in walk(rules.CGROUPS):
        if one.unit == name:
            return one
    raise CliError(
        f"the unit {name} has no cgroup: it does not run, or there is no such unit (systemctl status {name})"
    )


def facts_of(cgroup: Cgroup, now: attached.Attached | None) -> dict[str, Any]:
    """What is attached, as JSON."""
    facts: dict[str, Any] = {"cgroup": cgroup.path, "id": cgroup.id, "unit": cgroup.unit}
    if now is None:
        return {**facts, "policy": None, "state": "no policy", "attached_by": None, "seconds": None}
    boot_ms = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000
    return {
        **facts,
        "policy": now.policy,
        "state": now.state,
        "reason": now.reason or None,
        "attached_by": by(now.tag),
        "seconds": None if now.attached_ms is None else max(0, boot_ms - now.attached_ms) // 1000,
    }


def by(tag: str) -> str:
    """What attached a policy, by its tag."""
    if tag.startswith(TAG):
        return f"cpolc attach --trial ({tag.removeprefix(TAG)})"
    return "cpolc apply" if tag.startswith(attached.OURS) else "cpolc attach"


def rule_facts(cgroup: Cgroup, folder: Path) -> dict[str, Any]:
    """What the folder says about a cgroup, as JSON."""
    try:
        rule = rule_of(cgroup, rules.read_folder(folder))
    except rules.ConfigError as error:
        raise CliError(str(error)) from None
    if rule is None:
        return {"rule": None}
    return {"rule": {"where": rule.where, "section": rule.name, "policy": rule.policy, "set": [*rule.settings]}}


def text_of(facts: dict[str, Any]) -> str:
    """The facts as lines."""
    rows = [("cgroup", facts["cgroup"])]
    if facts["unit"]:
        rows.append(("unit", facts["unit"]))
    rows.append(("policy", facts["policy"] or "none"))
    if facts["policy"]:
        rows.append(("state", facts["state"] + (f" ({facts['reason']})" if facts["reason"] else "")))
        since = "" if facts["seconds"] is None else f", {duration(facts['seconds'])} ago"
        rows.append(("attached", f"by {facts['attached_by']}{since}"))
    rule = facts["rule"]
    rows.append(("rule", f"[{rule['section']}] {rule['policy']} ({rule['where']})" if rule else "none names it"))
    rows += [(key, f"{value:,}") for key, value in facts["statistics"].items()]
    return "\n".join(f"{key:<9} {value}" for key, value in rows)
