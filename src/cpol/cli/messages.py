"""What commands write to standard error: text, or with `--json` one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from cpol.printable import shown

_JSON = "cpol.cli.json"


def begin(ctx: click.Context, words: Sequence[str]) -> None:
    """Look for `--json` in the words of a command line, because errors of its parsing are messages, too."""
    own = words[: words.index("--")] if "--" in words else words
    ctx.meta[_JSON] = "--json" in own


def wants_json() -> bool:
    """Whether the command line has `--json`."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get(_JSON))


def as_json(
    severity: str,
    message: str,
    code: str | None = None,
    spans: Sequence[dict[str, Any]] = (),
    why: str = "",
    help: str = "",
    fix: Sequence[dict[str, Any]] = (),
) -> str:
    """A message as a line of JSON (keys: docs/checking.md)."""
    facts = {"severity": severity, "code": code, "message": message, "spans": [*spans]}
    return json.dumps({**facts, "why": why or None, "help": help or None, "fix": [*fix]})


def say(message: str, severity: str = "") -> None:
    """Write a message that is not an error. As text, it begins with `severity`, if there is one."""
    text = f"{severity}: {message}" if severity else message
    click.echo(as_json(severity or "note", message) if wants_json() else shown(text), err=True)
