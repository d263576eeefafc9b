"""Carries out what /etc/cpol.d says: the objects of its rules, and the loader's commands for each cgroup."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cpol.errors import ToldError, UserError
from cpol.runtime.operate import loader
from cpol.runtime.operate.apply import attached, config
from cpol.runtime.operate.apply.cgroups import Cgroup, check_mounted, walk
from cpol.runtime.operate.apply.config import NO_POLICY, Rule
from cpol.runtime.operate.apply.plan import ATTACH, CHANGES, DETACH, REPLACE, Step, plan
from cpol.runtime.operate.loader.options import AttachOptions, policy_words

Wanted = tuple[str, int | None]
"""What an object is made of: a policy, and the pages of the quota that it gets."""

SECONDS = 180
"""Seconds that the loader may take to attach a policy; the verifier usually takes less than one."""


@dataclass(frozen=True)
class Done:
    """A step, and what came of it."""

    step: Step
    said: str = ""
    error: str = ""

    def facts(self) -> dict[str, Any]:
        """As JSON."""
        step = self.step
        facts = {"cgroup": step.path, "id": step.cgroup, "action": step.action, "policy": step.policy, "why": step.why}
        return {**facts, "rule": step.rule.where if step.rule else None, "error": self.error or None}

    def text(self, dry_run: bool) -> str:
        """As a line."""
        step = self.step
        line = f"{step.action:<8} {step.path}: {step.policy}: {step.why}"
        if step.rule is not None:
            line += f" ({step.rule.where})"
        if self.error:
            return f"{line}: {'would fail' if dry_run else 'failed'}: {self.error}"
        return line


def wanted(rule: Rule) -> Wanted:
    """What the object of a rule is made of."""
    return rule.policy, rule.quota_to_add


class Rules:
    """The rules of a folder, with their objects at hand."""

    def __init__(self, rules: list[Rule], objects: dict[Wanted, Path]) -> None:
        self.rules = rules
        self._objects = objects
        self._tags = {rule: self._tag(rule) for rule in rules if rule.policy != NO_POLICY}

    def tag(self, rule: Rule) -> str:
        """The tag of what a rule attaches. It tells two objects or settings apart."""
        return self._tags[rule]

    def _tag(self, rule: Rule) -> str:
        how = (rule.all_settings, rule.inputs, rule.input_group)
        parts = [self._objects[wanted(rule)].read_bytes(), repr(how).encode()]
        digest = hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()
        return f"{attached.OURS}{digest[:32]}"

    def steps(self, cgroups: Iterable[Cgroup], take_over: bool = False) -> list[Step]:
        """What is to be done about these cgroups.

        Raises:
            UserError: the loader cannot tell what is attached.
        """
        try:
            return plan(cgroups, self.rules, attached.read(), self.tag, take_over)
        except loader.LoaderError as error:
            raise UserError(str(error)) from None

    def carry_out(self, steps: Iterable[Step], dry_run: bool = False) -> Iterator[Done]:
        """Do each step, whatever comes of those before it. With `dry_run`, load the objects only."""
        for step in steps:
            if step.action not in CHANGES:
                yield Done(step)
                continue
            try:
                words = self._words(step, dry_run)
                yield Done(step, loader.output(words, SECONDS).strip() if words else "")
            except loader.LoaderError as error:
                yield Done(step, error=str(error))

    def _words(self, step: Step, dry_run: bool) -> list[str]:
        """The arguments of the loader. There are none for what a dry run cannot try."""
        if step.action == DETACH:
            tag = ["--tag", step.tag] if step.tag else []  # what another command attached meanwhile, or beside, stays
            return [] if dry_run else ["detach", *policy_words(step.prefetches), *tag, "--id", str(step.cgroup)]
        assert step.rule is not None and step.action in (ATTACH, REPLACE)
        rule = step.rule
        options = AttachOptions(
            rule.all_settings, rule.inputs, rule.input_group, step.action == REPLACE, dry_run, self.tag(rule)
        )
        return ["attach", *options.words(), "--", str(self._objects[wanted(rule)]), step.path]


@contextmanager
def rules_of(
    folder: Path, object_of: Callable[[str, int | None], AbstractContextManager[Path]], report: Callable[[str], object]
) -> Iterator[Rules]:
    """The rules of a folder, whose policies are compiled now or come from the cache.

    They have copies of their objects until the block ends, so that what is attached later is what was taken now.

    Args:
        object_of: compiles a policy, with a quota of so many pages if it is to get one, or takes it from the cache.
        report: is told which rule an error belongs to, if the error itself does not name it.

    Raises:
        UserError: a file is wrong, or a policy cannot be compiled.
        ToldError: a policy has errors, which have been printed.
    """
    try:
        rules = config.read_folder(folder)
    except config.ConfigError as error:
        raise UserError(str(error)) from None
    objects: dict[Wanted, Path] = {}
    with TemporaryDirectory(prefix="cpol-") as scratch:
        for rule in rules:
            if rule.policy == NO_POLICY or wanted(rule) in objects:
                continue
            try:
                with object_of(*wanted(rule)) as path:
                    objects[wanted(rule)] = _copy(path, Path(scratch, str(len(objects))))
            except (ToldError, OSError):
                report(f"{rule.where}: the policy {rule.policy} cannot be compiled; nothing was changed")
                raise
            except UserError as error:
                raise UserError(f"{rule.where}: {error}") from None
        yield Rules(rules, objects)


def _copy(path: Path, folder: Path) -> Path:
    """A copy in a new folder, under the same name, which the loader's messages show.

    Raises:
        UserError: there is no room, or the object went meanwhile.
    """
    try:
        folder.mkdir()
        return Path(shutil.copyfile(path, folder / path.name))
    except OSError as error:
        why = f"{error.strerror}; make room there, or set TMPDIR to another folder"
        raise UserError(f"cannot copy {path} to {folder}: {why}") from None


def without_rules() -> Rules:
    """Rules that detach all that `cpolc apply` attached."""
    return Rules([], {})


def all_cgroups() -> list[Cgroup]:
    """Each cgroup that is there now.

    Raises:
        UserError: no cgroup2 hierarchy is mounted.
    """
    check_mounted(config.CGROUPS)
    return [*walk(config.CGROUPS)]


def sweep() -> str:
    """Remove what is left of removed cgroups; the loader's message, if there was something.

    Raises:
        UserError: the loader failed.
    """
    try:
        return loader.output(["detach", "--gone"], SECONDS).strip()
    except loader.LoaderError as error:
        raise UserError(str(error)) from None
