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


def check(policy: ir.Policy) -> None:
    """Raise UserError if the policy has inputs: nothing fills them here."""
    if policy.inputs:
        first = policy.inputs[0]
        raise UserError(
            f"{first.pos.within(policy.path)}: the glue `user` cannot fill the input {first.name} of {policy.name}; "
            "use a param in its place, or attach on a kernel with cache_ext (docs/stock-kernel.md)"
        )


def command_of(
    policy: ir.Policy, library: Path, cgroup: str, settings: Sequence[str], margin: int | None, percent: int | None
) -> list[str]:
    """The command line that governs `cgroup` by the shared object `library` of a policy.

    Args:
        settings: `name=value` for params.
        margin: bytes below the limit where evicting begins; None: a share of the limit.
        percent: of a processor, that it may use at most.

    Raises:
        RequestError: a setting is wrong.
        UserError: the loader or the tracing programs are missing.
    """
    given = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise RequestError(f"--set {setting}: write NAME=VALUE")
        given[name] = value
    try:
        values = read_params(policy, given)
        program, recorder = loader.find(), PROGRAM.find()
    except ParamError as error:
        raise RequestError(str(error)) from None
    except (loader.LoaderError, TracingError) as error:
        raise UserError(str(error)) from None
    options = [*(["--margin", str(margin)] if margin else []), *(["--cpu", str(percent)] if percent else [])]
    raw = [str(values[param.name] % 2**64) for param in policy.params]
    return [str(program), "govern", *options, "--", str(recorder), str(library), cgroup, policy.name, *raw]
