"""Goes on with a trial: what is due now, one step at a time. The file is written before each change, and after it.

    before -> attach -> settle -> trial -> keep -> ended
                 |         |        |
                 +---------+--------+----> back -> ended

A step that was begun can be begun again, so another process can take over at any moment.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from cpol.runtime.operate import loader
from cpol.runtime.operate.apply import attached
from cpol.runtime.operate.apply.attached import GONE, Attached
from cpol.runtime.operate.loader import statistics
from cpol.runtime.operate.trial.decide import decide
from cpol.runtime.operate.trial.measures import MEASURES, Samples, now, snapshot
from cpol.runtime.operate.trial.metric import Metric, MetricError, parse
from cpol.runtime.operate.trial.state import (
    ATTACH,
    BACK,
    BEFORE,
    ENDED,
    KEEP,
    KEPT,
    NEW,
    ROLLED_BACK,
    SETTLE,
    TRIAL,
    Member,
    Store,
    Trial,
)

SECONDS: Final = 180
"""Seconds that the loader may take to attach or to roll back."""
SAMPLES: Final = 100
"""Readings of a metric in a window, about."""
SHORTEST, LONGEST = 0.2, 5.0
"""Seconds between two looks at a trial. At LONGEST, a policy that ended is rolled back within so much."""
EVICT, PREFETCH = "evict", "prefetch"
STOPPED: Final = "`cpolc trial stop` ended it"
BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


def boot() -> str:
    """The id of this boot."""
    return BOOT_ID.read_text(encoding="ascii").strip()


class Runner:
    """Goes on with one trial, which this process holds."""

    def __init__(self, store: Store, trial: Trial, say: Callable[[str], object]) -> None:
        """`say` is told what happens."""
        self.store, self.trial, self.say = store, trial, say
        self._metrics: list[Metric] = [parse(text, MEASURES) for text in trial.metrics]
        self._sampled = 0.0

    def step(self) -> float | None:
        """Do what is due now. Returns the seconds until the next look; None: the trial has ended.

        Raises:
            TrialError: the trial's file cannot be written.
            loader.LoaderError: the loader cannot tell what is attached, or the trial's end cannot be carried out now.
        """
        trial = self.trial
        if self.store.is_asked_to_stop(trial):
            self.stop(STOPPED)
        if trial.phase in (BEFORE, ATTACH, SETTLE, TRIAL) and (why := self._broken()):
            self._give_up(why)
        elif trial.phase == BEFORE:
            return self._before()
        elif trial.phase == ATTACH:
            self._attach()
        elif trial.phase == SETTLE:
            return self._settle()
        elif trial.phase == TRIAL:
            return self._try()
        elif trial.phase == KEEP:
            self._keep()
        elif trial.phase == BACK:
            self._back()
        return None if trial.phase == ENDED else 0.0

    def stop(self, why: str) -> None:
        """Roll back, whatever was measured."""
        if self.trial.phase not in (KEEP, BACK, ENDED):
            self._give_up(why)

    def _enter(self, phase: str) -> None:
        self.trial.phase, self.trial.since = phase, now()
        self.store.write(self.trial)

    def _give_up(self, why: str) -> None:
        self.trial.result, self.trial.why = ROLLED_BACK, why
        self._enter(BACK)

    def _broken(self) -> str:
        """Why the trial cannot go on; empty: it can."""
        trial = self.trial
        if trial.boot != boot():
            return "the machine was started again, and policies do not live longer; the new one is not attached again"
        policies = {(one.cgroup, one.tag): one for one in attached.read_all()}
        for member in trial.members:
            if not is_there(member):
                return f"the cgroup {member.path} was removed"
            if member.arm == NEW and trial.phase in (SETTLE, TRIAL):
                one = policies.get((member.id, trial.tag))
                if one is None:
                    return f"another command detached or replaced the new policy on {member.path}"
                if not one.governs:
                    return f"the new policy governs {member.path} no more: it is {one.state}{because(one)}"
        return ""

    def _before(self) -> float:
        trial = self.trial
        if any(not member.before for member in trial.members):
            self._snap("before")
            self._enter(BEFORE)
        left = trial.since + trial.seconds_before - now()
        self._sample(trial.samples_before, trial.seconds_before, left)
        if left > 0:
            return pause(left, trial.seconds_before)
        self._snap("before")
        self._enter(ATTACH)
        return 0.0

    def _attach(self) -> None:
        trial = self.trial
        there = {(one.cgroup, one.tag) for one in attached.read_all()}
        replace = ["--replace", "--keep-old"] if trial.replace else []
        for member in trial.arm(NEW):
            if (member.id, trial.tag) in there:  # by a process that was killed
                continue
            words = ["attach", *trial.options, "--tag", trial.tag, *replace, "--", str(self.store.object_of(trial))]
            try:
                said = loader.output([*words, member.path], SECONDS, self.store.held, trial.folder)
            except loader.LoaderError as error:
                self._give_up(f"the new policy cannot be attached to {member.path}: {error}")
                return
            self.say(said.strip())
        kinds = {one.cgroup: kind_of(one) for one in attached.read_all() if one.tag == trial.tag}
        for member in trial.arm(NEW):
            member.kind = kinds.get(member.id, "")
        self._enter(SETTLE)

    def _settle(self) -> float:
        left = self.trial.since + self.trial.seconds_settle - now()
        if left > 0:
            return pause(left, self.trial.seconds_settle)
        self._snap("after")
        self._enter(TRIAL)
        return 0.0

    def _try(self) -> float:
        trial = self.trial
        left = trial.since + trial.seconds - now()
        self._sample(trial.samples, trial.seconds, left)
        if left > 0:
            return pause(left, trial.seconds)
        self._snap("after")
        decide(trial)
        self._enter(KEEP if trial.result == KEPT else BACK)
        return 0.0

    def _new_policies(self) -> dict[int, Attached]:
        """What this trial has attached, by the cgroup's id, as far as cgroup and policy are still there."""
        return {one.cgroup: one for one in attached.read_all() if one.tag == self.trial.tag and one.state != GONE}

    def _keep(self) -> None:
        """Give up the old policies. What cannot be done now (bpffs is read-only) is done at the next step."""
        for member in self.trial.arm(NEW):
            error = self._loader(member, "rollback", *which(member.kind), "--forget")
            if error and member.id in self._new_policies():
                raise loader.LoaderError(
                    f"{member.path}: the new policy is kept, but the old one is not given up: {error}"
                )
            member.done = error or KEPT
        self._end()

    def _back(self) -> None:
        """Bring back the old policies where the new one is. Where that fails, no policy is better than the new one.

        Where neither can be done now (bpffs is read-only), it is done at the next step.
        """
        trial = self.trial
        policies = self._new_policies()
        for member in trial.arm(NEW):
            one = policies.get(member.id)
            if one is None:
                member.done = member.done or ROLLED_BACK
                if member.kind and trial.boot == boot() and is_there(member):
                    self._loader(member, "rollback", *which(member.kind), "--forget")
                continue
            member.kind = kind_of(one)
            error = self._loader(member, "rollback", *which(member.kind), "--tag", trial.tag)
            if error:
                error = f"not rolled back: {error}; "
                kept = self._loader(member, "detach", *which(member.kind), "--tag", trial.tag)
                if kept and member.id in self._new_policies():
                    raise loader.LoaderError(f"{member.path}: {error}nor detached: {kept}")
                gone = "the new policy is not there any more"  # another command was faster: what it attached stays
                error += gone if kept else "the new policy was detached instead"
                self.say(f"{member.path}: {error}")
            member.done = error or ROLLED_BACK
        self._end()

    def _loader(self, member: Member, command: str, *words: str) -> str:
        """Run the loader for a cgroup. Returns why it failed; empty: it did not."""
        try:
            said = loader.output([command, *words, "--", member.path], SECONDS, self.store.held).strip()
        except loader.LoaderError as error:
            return str(error)
        if said:
            self.say(said)
        return ""

    def _end(self) -> None:
        self.trial.ended = time.time()
        self._enter(ENDED)

    def _snap(self, window: str) -> None:
        """Read the counters of all cgroups: the first ones of a window, or its last ones."""
        policies = {one.cgroup: one for one in statistics.read() if one.end is None and not one.prefetches}
        for member in self.trial.members:
            taken = snapshot(Path(member.path), policies.get(member.id))
            setattr(member, window, [*getattr(member, window)[:1], taken])

    def _sample(self, samples: Samples, window: float, left: float) -> None:
        """Read the service's metrics, if it is time, and write them."""
        if not self._metrics or (left > 0 and now() - self._sampled < max(SHORTEST, window / SAMPLES)):
            return
        self._sampled = now()
        for metric in self._metrics:
            try:
                samples.setdefault(metric.name, []).append((now(), metric.read()))
                self.trial.failures.pop(metric.name, None)
            except MetricError as error:
                self.trial.failures[metric.name] = str(error)
        self.store.write(self.trial)


def is_there(member: Member) -> bool:
    """Whether the cgroup is there, and not another one of the same path."""
    try:
        return Path(member.path).stat().st_ino == member.id
    except OSError:
        return False


def kind_of(one: Attached) -> str:
    return PREFETCH if one.prefetches else EVICT


def which(kind: str) -> list[str]:
    """The loader's words for a kind of policy."""
    return ["--prefetch"] if kind == PREFETCH else []


def because(one: Attached) -> str:
    return f" ({one.reason})" if one.reason else ""


def pause(left: float, window: float) -> float:
    """Seconds to the next look at a trial."""
    return min(left, max(SHORTEST, min(LONGEST, window / SAMPLES)))
