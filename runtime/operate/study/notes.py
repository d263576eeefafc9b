"""What a reader must know before the figures of a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cpol.runtime.operate.study.kept import Kept
from cpol.runtime.operate.study.statistics import Compared, missing


def notes(kept: Kept, found: Sequence[Compared]) -> list[str]:
    """Each a sentence or two."""
    done, left = len(kept.outcomes), missing(kept)
    failed = sum(not each.counts for each in kept.outcomes.values())
    lines = [f"{done:,} of {done + left:,} trials were done{f', of which {failed:,} failed' if failed else ''}"]
    return [*lines, *_boots(kept), *_kernels(kept), *_settings(kept), *_before(kept), *_idle(kept, found), *_left(kept)]


def _boots(kept: Kept) -> list[str]:
    boots = Counter(each.boot for each in kept.outcomes.values())
    if not kept.outcomes or (max(boots.values()) == 1 and "" not in boots):
        return []
    why = "the machine of the study was not booted for each" if kept.study.machine else "the study names no [machine]"
    return [
        f"boots were not fresh: {len(kept.outcomes):,} trials ran in {len(boots):,} "
        f"{'boot' if len(boots) == 1 else 'boots'}, since {why}; a trial may feel what ran before it"
    ]


def _kernels(kept: Kept) -> list[str]:
    releases = sorted({each.release for each in kept.outcomes.values()})
    if len(releases) < 2:
        return [f"kernel: {releases[0] or 'unknown'}"] if releases else []
    return [f"trials ran on {len(releases)} kernels, so they cannot be compared: {', '.join(releases)}"]


def _settings(kept: Kept) -> list[str]:
    """Variants whose files held the same, whatever was written to them."""
    held: dict[str, set[tuple[tuple[str, str], ...]]] = {}
    for trial, outcome in kept.outcomes.items():
        if outcome.counts and not kept.study.variants[trial.variant].policy:
            values = ((name, after) for name, (_, after) in outcome.settings.items())
            held.setdefault(trial.variant, set()).add(tuple(sorted(values)))
    names = [name for name in kept.study.variants if len(held.get(name, ())) == 1]
    return [
        f"{one} and {two} had the same settings in the machine, so they are one variant"
        for number, one in enumerate(names)
        for two in names[number + 1 :]
        if held[one] == held[two] and held[one] != {()}
    ]


def _before(kept: Kept) -> list[str]:
    """Files that did not hold the same before each trial: variants that do not write them are not the same."""
    held: dict[str, set[str]] = {}
    for outcome in kept.outcomes.values():
        for name, (before, _) in outcome.settings.items():
            held.setdefault(name, set()).add(before[:80])
    return [
        f"{name} held {' or '.join(sorted(values)[:3])} before trials wrote it; something else writes it, or a trial "
        "that was killed did not put it back"
        for name, values in sorted(held.items())
        if len(values) > 1
    ]


def _idle(kept: Kept, found: Sequence[Compared]) -> list[str]:
    """Cells with swap in which nothing was swapped in: they compare nothing."""
    idle = [
        each.cell.name
        for each in found
        if kept.study.media[each.cell.swap].device or kept.study.media[each.cell.swap].size
        if any(row.seconds for row in each.rows) and all(not row.counters.get("pswpin") for row in each.rows)
    ]
    if not idle:
        return []
    return [f"nothing was swapped in, so the limit did not bind, or files alone filled memory: {', '.join(idle)}"]


def _left(kept: Kept) -> list[str]:
    left = [f"{outcome.id}: {each}" for outcome in kept.outcomes.values() for each in outcome.left]
    return sorted(left)[:10]
