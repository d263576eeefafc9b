"""`--prefetch`: which policy of a cgroup a command means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]


def option(command: Command) -> Command:
    """Add `--prefetch` to a command, as the argument `prefetch`."""
    text = "The policy that only prefetches, also beside one that evicts."
    return click.option("--prefetch", is_flag=True, help=text)(command)
