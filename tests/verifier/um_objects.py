"""Loads policies into the kernel that um.py starts: what the verifier says about each."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import um

from cpol.compiler.toolchain import cache
from cpol.compiler.toolchain.clang import clang
from cpol.compiler.toolchain.process import run
from cpol.runtime.operate.loader import program

SOURCE = Path(__file__).resolve().with_name("load_objects.c")
END = re.compile(r"== (?P<path>.*): (?:refused|loaded, (?P<instructions>\d+) in (?P<ms>\d+) ms)")
PROGRAM = re.compile(r"-- (?P<name>\w+): (?P<instructions>\d+)")
LOG_LINES = 25
LIMIT = 4 << 20
"""Of the cgroup, as in tests/vm/sources_checks.py: some constants of a program depend on it."""
SECONDS_TO_BOOT = 60
SECONDS_EACH = 30
"""The most for a policy; the slowest of seed 0 takes a small part of it."""


@dataclass(frozen=True)
class Verdict:
    refusal: str | None
    """What the loader said against the policy; None: the kernel took it."""
    instructions: int = 0
    """How many the verifier looked at, on all paths through all programs."""
    ms: int = 0
    programs: dict[str, int] = field(default_factory=dict)
    """The instructions of each program."""


def load_objects() -> Path:
    """Return the program that loads objects as cpol-loader does, which is built unless it is cached."""
    digest = hashlib.sha256(program.key(program.HARDENED).encode() + SOURCE.read_bytes()).hexdigest()[:32]
    return cache.find_or_make("verifier", f"load-objects-{digest}", _build)


def _build(target: Path) -> None:
    sources = [source for source in program.sources() if source.name != "main.c"]
    flags = (*program.FLAGS, *program.HARDENED, *program.INCLUDES)
    run([clang(), *flags, *sources, SOURCE, "-o", target, *program.LIBRARIES])


def verify(linux: Path, objects: Sequence[Path]) -> list[Verdict]:
    """Load objects, one after the other, and return a verdict for each.

    Raises:
        UmError: the kernel did not start, or died.
    """
    with tempfile.TemporaryDirectory(prefix="cpol-verify-") as exchange:
        timeout = SECONDS_TO_BOOT + SECONDS_EACH * len(objects)
        _, said = um.run(linux, command(objects), Path(exchange), timeout)
        verdicts = read(said, Path(exchange))
    if set(verdicts) != {str(each) for each in objects}:
        raise um.UmError(f"the loader did not come to its end:\n{said[-4000:]}")
    return [verdicts[str(each)] for each in objects]


def command(objects: Sequence[Path]) -> list[str]:
    """What loads objects, on any kernel that has cgroup2 mounted."""
    group = "/sys/fs/cgroup/policy"
    script = f'mkdir {group} && echo {LIMIT} >{group}/memory.max && exec "$0" {group} "$@"'
    return ["/bin/sh", "-c", script, str(load_objects()), *map(str, objects)]


def read(said: str, exchange: Path | None = None) -> dict[str, Verdict]:
    """The verdict of each object, by its path, from what the program printed. `exchange` has the verifier's logs."""
    verdicts = {}
    against: list[str] = []
    programs: dict[str, int] = {}
    for line in said.splitlines():
        end = END.fullmatch(line)
        if program := PROGRAM.fullmatch(line):
            programs[program["name"]] = int(program["instructions"])
        elif not end:
            against += [line, *(_log(line, exchange) if exchange else ())]
        elif end["instructions"]:
            verdicts[end["path"]] = Verdict(None, int(end["instructions"]), int(end["ms"]), programs)
        else:
            verdicts[end["path"]] = Verdict("\n".join(against) or "the loader did not say why")
        if end:
            against, programs = [], {}
    return verdicts


def _log(line: str, exchange: Path) -> list[str]:
    """The end of the verifier's log, if the loader's line names it."""
    named = re.search(rf"{um.GUEST_EXCHANGE}/(\S+\.log)$", line)
    return (exchange / named[1]).read_text(errors="replace").splitlines()[-LOG_LINES:] if named else []
