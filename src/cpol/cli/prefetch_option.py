"""The option `--prefetch`: whether a command means the policy of a cgroup that prefetches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]


def prefetch_option(command: Command) -> Command:
    """Add `--prefetch` to a command, as the argument `prefetch`."""
    text = "The policy that only prefetches, also beside one that evicts."
    return click.option("--prefetch", is_flag=True, help=text)(command)
