"""What is compared on a trace: each policy with each of its settings, under a name that tells it from the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from cpol.compiler.compiled import Compiled
from cpol.compiler.ir import Policy
from cpol.compiler.literals import plain_value
from cpol.errors import RequestError
from cpol.runtime.machine.errors import ParamError
from cpol.runtime.machine.settings.inputs import Setting
from cpol.runtime.machine.settings.params import read_params

BELADY = "belady"
"""The name of the optimum's row."""

BUILT_IN = ("none", "default")
"""Rows of the model of prefetching that need no policy: no readahead at all, and the kernel's own."""

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

    @property
    def asks_details(self) -> bool:
        """Whether it needs the times, tasks or writes of a trace."""
        uses = self.compiled.uses
        return uses.task or uses.time or uses.flags or uses.writes

    def facts(self) -> dict[str, Any]:
        """What JSON tells of it beside its name."""
        values = read_params(self.policy, self.params)
        return {
            "label": self.label,
            "path": self.policy.path,
            "params": {each.name: plain_value(values[each.name], each.type) for each in self.policy.params},
            "inputs": dict(self.texts),
        }


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
        RequestError: a setting is wrong, or no policy has such a param.
            Or two candidates would be the same.
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
    """Raises RequestError if two rows have one file and the same values of its params."""
    seen: dict[object, Candidate] = {}
    for row in rows:
        values = read_params(row.policy, row.params)
        first = seen.setdefault((Path(row.policy.path).resolve(), tuple(values.items())), row)
        if first is not row and first.word == row.word:
            raise bad_setting(f"{first.label} and {row.label} are the same; give each value once")
        if first is not row:
            raise given_twice(f"{first.word} and {row.word} are the same file with the same settings")


def given_twice(what: str) -> RequestError:
    return RequestError(f"{what}; name each policy once (--set NAME=VALUE,VALUE runs one with several settings)")


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
    """The given values for the params of `policy`. Raises RequestError if no policy has such a param."""
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


def bad_setting(what: str) -> RequestError:
    return RequestError(what, "--set")
