"""The glue without a kernel part: which command governs a cgroup from user space (docs/user-glue.md)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cpol.compiler import ir
from cpol.errors import RequestError, UserError
from cpol.runtime.machine.errors import ParamError
from cpol.runtime.machine.settings.params import read_params
from cpol.runtime.operate import loader
from cpol.runtime.operate.record import PROGRAM
from cpol.runtime.operate.tracing import TracingError

LEAST_MARGIN: Final = 1 << 17
MOST_MARGIN: Final = 1 << 40
"""Bytes."""


def values_of(policy: ir.Policy, settings: Sequence[str]) -> list[int]:
    """The raw values of a policy's params, in the order of declaration; `settings` are `name=value`.

    Raises:
        RequestError: a setting is wrong.
    """
    given = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise RequestError(f"--set {setting}: write NAME=VALUE")
        given[name] = value
    try:
        values = read_params(policy, given)
    except ParamError as error:
        raise RequestError(str(error)) from None
    return [values[param.name] for param in policy.params]


def command_of(
    name: str, library: Path, cgroup: str, values: Sequence[int], margin: int | None, percent: int | None
) -> list[str]:
    """The command line that governs `cgroup` by the shared object `library` of a policy.

    Args:
        values: of all its params.
        margin: bytes below the limit where evicting begins; None: a share of the limit.
        percent: of a processor, that it may use at most.

    Raises:
        UserError: the loader or the tracing programs are missing.
    """
    try:
        program, recorder = loader.find(), PROGRAM.find()
    except (loader.LoaderError, TracingError) as error:
        raise UserError(str(error)) from None
    options = [*(["--margin", str(margin)] if margin else []), *(["--cpu", str(percent)] if percent else [])]
    raw = [str(value % 2**64) for value in values]
    return [str(program), "govern", *options, "--", str(recorder), str(library), cgroup, name, *raw]
