"""What `cpolc sim` compares: each policy with each of its settings, under a name that tells it from the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import click

from cpol.cli.compiled import Compiled
from cpol.cli.policy import resolve, stdlib_names
from cpol.cli.sim_medium import BUILT_IN
from cpol.compiler.ir import Policy
from cpol.compiler.literals import plain_value
from cpol.runtime.machine.errors import ParamError
from cpol.runtime.machine.settings.inputs import Setting
from cpol.runtime.machine.settings.params import read_params

ALL = "all"
"""Stands for all policies of the standard library of the kind that the command is about."""

BELADY = "belady"
"""The name of the optimum's row."""

OTHER_ROWS = (BELADY, *BUILT_IN)
"""The names of rows that no policy makes. A policy with such a name has its file's in the table."""

Params = dict[str, int | str]


class Candidate(NamedTuple):
    """A policy with its settings.

    `label` is its name in the table, `varied` are the params that `--set` gives several values, `texts` what `--input`
    said, by the name of each input of the policy.
    """

    word: str
    compiled: Compiled
    params: Params
    inputs: list[Setting]
    label: str
    texts: Mapping[str, list[str]]

    @property
    def policy(self) -> Policy:
        return self.compiled.policy

    @property
    def is_told_nothing(self) -> bool:
        """Whether it has inputs, and all of them are empty."""
        return bool(self.texts) and not any(self.texts.values())

    def facts(self) -> dict[str, Any]:
        """What JSON tells of it beside its name."""
        values = read_params(self.policy, self.params)
        return {
            "label": self.label,
            "path": self.policy.path,
            "params": {each.name: plain_value(values[each.name], each.type) for each in self.policy.params},
            "inputs": dict(self.texts),
        }


def expanded(words: Sequence[str], prefetching: bool) -> tuple[str, ...]:
    """The policies, with `all` replaced by those of the standard library that evict, or, if the command is about
    prefetching, by those that prefetch. Raises click.UsageError if a word stands twice."""
    for word in words:
        if words.count(word) > 1:
            raise given_twice(f"{word} is given twice")
    if ALL not in words:
        return tuple(words)
    from cpol.cli.sim_compile import compile_path

    named = {word for word in words if word != ALL}
    found = {name: compile_path(resolve(name)).policy for name in stdlib_names() if name not in named}
    ours = [name for name, policy in found.items() if (policy.prefetches if prefetching else policy.evicts)]
    return tuple(each for word in words for each in (ours if word == ALL else [word]))


def candidates(
    words: Sequence[str],
    all_compiled: Sequence[Compiled],
    settings: Sequence[str],
    inputs: Sequence[list[Setting]],
    texts: Iterable[str],
) -> list[Candidate]:
    """Each policy with each of its settings.

    Args:
        words: what names them on the command line.
        settings: all `--set`.
        inputs: of each policy.
        texts: all `--input`.

    Raises:
        click.BadParameter: a setting is wrong, or no policy has such a param.
        click.UsageError: two would be the same.
    """
    policies = [each.policy for each in all_compiled]
    given = read_lists(settings)
    said = [text.partition("=") for text in texts]
    made: list[Candidate] = []
    for word, compiled, filled in zip(words, all_compiled, inputs, strict=True):
        policy = compiled.policy
        own = {each.name: [value for name, _, value in said if name == each.name] for each in policy.inputs}
        name = word if policy.name in OTHER_ROWS or not is_unique(policy, policies) else policy.name
        for params, shown in variants(policy, given, policies):
            label = " ".join((name, *shown))
            made.append(Candidate(word, compiled, params, filled, label, own))
    refuse_equal(made)
    return made


def refuse_equal(rows: Sequence[Candidate]) -> None:
    """Raises click.UsageError if two rows have one file and the same values of its params."""
    seen: dict[object, Candidate] = {}
    for row in rows:
        values = read_params(row.policy, row.params)
        first = seen.setdefault((Path(row.policy.path).resolve(), tuple(values.items())), row)
        if first is not row and first.word == row.word:
            raise bad_setting(f"{first.label} and {row.label} are the same; give each value once")
        if first is not row:
            raise given_twice(f"{first.word} and {row.word} are the same file with the same settings")


def given_twice(what: str) -> click.UsageError:
    return click.UsageError(f"{what}; name each policy once (--set NAME=VALUE,VALUE runs one with several settings)")


def is_unique(policy: Policy, policies: Iterable[Policy]) -> bool:
    """Whether no other file has a policy of this name."""
    same = {Path(other.path).resolve() for other in policies if other.name == policy.name}
    return len(same) == 1


def variants(
    policy: Policy, given: Mapping[str, list[str]], policies: Sequence[Policy]
) -> list[tuple[Params, list[str]]]:
    """The params of each run of a policy, and those of them that differ, as `NAME=VALUE`."""
    for values in product(*given.values()):  # all are checked, as in a run of this policy alone
        params_of(policy, dict(zip(given, values, strict=True)), policies)
    own = {name: values for name, values in given.items() if any(param.name == name for param in policy.params)}
    varied = [name for name, values in own.items() if len(values) > 1]
    runs = (dict(zip(own, values, strict=True)) for values in product(*own.values()))
    return [({**run}, [f"{name}={run[name]}" for name in varied]) for run in runs]


def read_lists(settings: Sequence[str]) -> dict[str, list[str]]:
    """The values of each param: `--set NAME=VALUE,VALUE`."""
    given = {name: str(text).split(",") for name, text in read_settings(tuple(settings)).items()}
    for name, values in given.items():
        values[:] = [value.strip() for value in values]
        if twice := next((value for value in values if values.count(value) > 1), None):
            raise bad_setting(f"{name} has the value {twice} twice; give each value once")
    return given


def read_settings(settings: tuple[str, ...]) -> Params:
    result: Params = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise bad_setting(f"{setting!r} is not NAME=VALUE")
        if name in result:
            raise bad_setting(
                f"{name} is given twice; several values stand in one: --set {name}={result[name]},{value}"
            )
        result[name] = value
    return result


def params_of(policy: Policy, given: Mapping[str, int | str], policies: Sequence[Policy]) -> Params:
    """The given values for the params of `policy`. Raises click.BadParameter if no policy has such a param."""
    known = {param.name for other in policies for param in other.params}
    for name in given:
        if name not in known:
            there = f"there is {', '.join(sorted(known))}" if known else "they have none"
            raise bad_setting(f"no policy here has a param {name!r}; {there}")
    own = {param.name: given[param.name] for param in policy.params if param.name in given}
    try:
        read_params(policy, own)
    except ParamError as error:
        raise bad_setting(f"{policy.name}: {error}") from None
    return own


def bad_setting(what: str) -> click.BadParameter:
    return click.BadParameter(what, param_hint="'--set'")
