"""What one trial does, as one word of a command line: the machine that does it may have no standard input."""

from __future__ import annotations

import base64
import binascii
import dataclasses
import json
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from cpol.errors import UserError

VERSION: Final = 1
SETTINGS: Final = ("/sys/", "/proc/sys/")
"""Where the files of settings are."""
SCRATCH: Final = "{scratch}"
"""Stands for the trial's own folder in the words of a command."""
MOST_SECONDS: Final = 7 * 24 * 3600
MOST_BYTES: Final = 1 << 46
MAX_WORD: Final = 128 << 10
"""Bytes of a word that Linux takes on a command line."""


@dataclass(frozen=True)
class Medium:
    """Where the trial swaps to: a device, zram of so many bytes, or nowhere."""

    device: str = ""
    size: int = 0
    algorithm: str = ""


@dataclass(frozen=True)
class Job:
    """A trial."""

    id: str
    command: tuple[str, ...]
    prepare: tuple[str, ...]
    folder: str
    """Where both run."""
    timeout: int
    """Seconds of each."""
    limit: int
    """Bytes of memory.max."""
    medium: Medium
    settings: tuple[tuple[str, str], ...]
    """Files and what is written there, in this order."""
    policy: str = ""
    """A stdlib name, or the absolute path of a file."""


def wrong_setting(path: str) -> str:
    """Why a file cannot be one of a setting; empty: it can."""
    if not path.startswith(SETTINGS):
        return "is no file under /sys or /proc/sys, and a study writes no other; name one of those"
    if posixpath.normpath(path) != path or not path.isprintable():
        return "is no plain path; write it without `..`, `.`, double slashes and control characters"
    return ""


def word_of(job: Job) -> str:
    """The job as a word that no shell changes."""
    facts = {"cpol_study": VERSION, **dataclasses.asdict(job)}
    return base64.urlsafe_b64encode(json.dumps(facts).encode()).decode()


def read_job(text: str | bytes) -> Job:
    """A job from its word, or from its JSON.

    Raises:
        UserError: it is none; the message says what is wrong.
    """
    raw = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    try:
        content = raw if raw.lstrip().startswith(b"{") else base64.b64decode(raw, b"-_", validate=True)
        facts: Any = json.loads(content)
        if not isinstance(facts, Mapping) or facts.get("cpol_study") != VERSION:
            raise ValueError(f"it has no `cpol_study` of {VERSION}: another version of cpolc made it")
        return _job(facts)
    except (ValueError, TypeError, KeyError, binascii.Error, RecursionError) as error:
        raise UserError(
            f"this is no trial of a study: {error}; `cpolc study run` gives a trial to its machine"
        ) from None


def _job(facts: Mapping[str, Any]) -> Job:
    medium = Medium(*(_of(facts["medium"], name, kind) for name, kind in _MEDIUM))
    settings = tuple((str(path), str(value)) for path, value in facts["settings"])
    job = Job(
        _of(facts, "id", str),
        _words(facts, "command"),
        _words(facts, "prepare"),
        _of(facts, "folder", str),
        _of(facts, "timeout", int),
        _of(facts, "limit", int),
        medium,
        settings,
        _of(facts, "policy", str),
    )
    for path, _ in settings:
        if why := wrong_setting(path):
            raise ValueError(f"{path} {why}")
    if not job.command or not 1 <= job.timeout <= MOST_SECONDS or not 1 <= job.limit <= MOST_BYTES:
        raise ValueError("command, timeout and limit must be there, and neither 0 nor beyond what a study may have")
    return job


_MEDIUM: Final = (("device", str), ("size", int), ("algorithm", str))


def _of(facts: Mapping[str, Any], name: str, kind: type) -> Any:
    value = facts[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"`{name}` is {value!r:.60}")
    return value


def _words(facts: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = facts[name]
    if not isinstance(value, list) or not all(isinstance(word, str) and "\0" not in word for word in value):
        raise ValueError(f"`{name}` is no list of words")
    return tuple(value)
