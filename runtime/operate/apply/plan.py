"""What is to be done so that each cgroup has the policy of its rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cpol.runtime.operate.apply.attached import BROKEN_OFF, GONE, OURS, Attached
from cpol.runtime.operate.apply.cgroups import Cgroup, rule_of
from cpol.runtime.operate.apply.config import NO_POLICY, Rule

ATTACH, REPLACE, DETACH, KEEP, LEAVE = "attach", "replace", "detach", "keep", "leave"
CHANGES: Final = (ATTACH, REPLACE, DETACH)


@dataclass(frozen=True)
class Step:
    """What is to be done about one cgroup."""

    action: str
    """ATTACH, REPLACE or DETACH; KEEP: it has what its rule says; LEAVE: it has another, which is not ours."""
    cgroup: int
    path: str
    policy: str
    """The policy after the step; of DETACH, that which goes."""
    rule: Rule | None
    why: str
    tag: str = ""
    """Of the policy that the cgroup has."""
    prefetches: bool = False
    """The policy that the cgroup has only prefetches."""


def plan(
    cgroups: Iterable[Cgroup],
    rules: Sequence[Rule],
    attached: Mapping[int, Attached],
    tag_of: Callable[[Rule], str],
    take_over: bool = False,
) -> list[Step]:
    """The steps for these cgroups, in their order. Removed cgroups have none: `detach --gone` sweeps them.

    Args:
        tag_of: the tag of the policy that a rule attaches, as it is now.
        take_over: also replace or detach what `cpolc apply` did not attach.
    """
    steps = (_step(one, rule_of(one, rules), attached.get(one.id), tag_of, take_over) for one in cgroups)
    return [step for step in steps if step is not None]


def _step(
    cgroup: Cgroup, rule: Rule | None, now: Attached | None, tag_of: Callable[[Rule], str], take_over: bool
) -> Step | None:
    def step(action: str, policy: str, why: str) -> Step:
        old = ("", False) if now is None else (now.tag, now.prefetches)
        return Step(action, cgroup.id, cgroup.path, policy, rule, why, *old)

    if now is not None and now.state == GONE:
        now = None
    ours = now is not None and now.tag.startswith(OURS)
    if rule is None or rule.policy == NO_POLICY:
        if now is None or not (ours or (take_over and rule is not None)):
            return None
        return step(DETACH, now.policy, f"{rule.where} says none" if rule is not None else "no rule names the cgroup")
    if now is None:
        return step(ATTACH, rule.policy, "it has no policy")
    if now.state == BROKEN_OFF and (ours or not now.tag):  # a trial brings back what it replaced
        return step(REPLACE, rule.policy, "a killed command left it without a policy")
    if ours and now.tag == tag_of(rule):
        return step(KEEP, now.policy, "it is as its rule says" if now.governs else f"it is {now.state} {now.reason}")
    if ours:
        return step(REPLACE, rule.policy, f"it has {now.policy} by an earlier rule or an earlier object")
    if not take_over:  # also if it has ended: who attached it mends it, and a trial rolls it back
        return step(LEAVE, now.policy, f"{now.policy} was attached by another command; --take-over replaces it")
    return step(REPLACE, rule.policy, f"it has {now.policy}, which is {now.state}")
