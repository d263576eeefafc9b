"""What a study runs, as its TOML file says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.policies import stdlib_names
from cpol.errors import UserError
from cpol.runtime.operate.study.job import MOST_BYTES, MOST_SECONDS, Medium, wrong_setting
from cpol.sizes import read_size, size
from cpol.tomlfile.places import Path as Place
from cpol.tomlfile.read import At, read_toml

KEYS: Final = ("title", "seed", "trials", "ratios", "baseline", "swap", "variants", "programs", "machine")
NEEDED: Final = {
    "trials": "trials = 25",
    "ratios": "ratios = [0.5, 0.75]",
    "swap": "[swap.none]",
    "variants": "[variants.NAME], twice or more",
    "programs": "[programs.NAME]",
}
"""Keys that must be there, and what to write."""
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
MOST_TRIALS: Final = 100_000
LEAST_LIMIT: Final = 1 << 20
"""Bytes: with less, nothing runs."""
TIMEOUT: Final = 3600
BOOT_TIMEOUT: Final = 600
NO_SWAP: Final = "none"


@dataclass(frozen=True)
class Variant:
    """A setting of the kernel."""

    name: str
    settings: tuple[tuple[str, str], ...]
    policy: str
    """A stdlib name, or the absolute path of a file; empty: none."""


@dataclass(frozen=True)
class Program:
    """A program that is measured."""

    name: str
    command: tuple[str, ...]
    prepare: tuple[str, ...]
    footprint: int
    timeout: int


@dataclass(frozen=True)
class Study:
    """A study. Commands run in `folder`."""

    folder: Path
    title: str
    seed: int
    trials: int
    ratios: tuple[float, ...]
    baseline: str
    media: Mapping[str, Medium]
    variants: Mapping[str, Variant]
    programs: Mapping[str, Program]
    machine: tuple[str, ...]
    """Words before those of a trial, which give it a fresh machine; empty: trials run here."""
    cpolc: str
    """The name of cpolc in that machine."""
    boot_timeout: int
    """Seconds that the machine may take beside its trial."""


def read_study(path: Path) -> Study:
    """Read a file.

    Raises:
        UserError: it cannot be read, or is wrong; the message begins with its path, line and column.
    """
    told, at = read_toml(path, "a study", "a study needs a few pages at most")
    return _Reader(at, path.parent.resolve()).study(told, path.stem)


class _Reader:
    """Reads the values of a file, and tells where one is wrong."""

    def __init__(self, at: At, folder: Path) -> None:
        self._at = at
        self._folder = folder

    def study(self, told: Mapping[str, Any], stem: str) -> Study:
        self._known(told, KEYS, ())
        for key, example in NEEDED.items():
            if key not in told:
                raise UserError(f"{self._at((), False)}there is no key `{key}`; add {example}")
        variants = {name: self._variant(name, each) for name, each in self._named(told, "variants")}
        if len(variants) < 2:
            raise self._error(
                ("variants",), "one variant has nothing to be compared with; add a second [variants.NAME]"
            )
        programs = {name: self._program(name, each) for name, each in self._named(told, "programs")}
        media = {name: self._medium(name, each) for name, each in self._named(told, "swap")}
        ratios = self._ratios(told["ratios"])
        self._limits(programs, ratios)
        machine = self._table(told.get("machine", {}), ("machine",))
        self._known(machine, ("command", "cpolc", "boot_timeout"), ("machine",))
        if "machine" in told and "command" not in machine:
            raise self._error(("machine",), 'there is no `command`; add one, such as command = ["ssh", "-n", "host"]')
        where = ("machine", "boot_timeout")
        return Study(
            self._folder,
            self._text(told.get("title", stem), ("title",), "a title"),
            self._whole(told.get("seed", 1), ("seed",), 0, 2**64 - 1),
            self._whole(told["trials"], ("trials",), 2, MOST_TRIALS, "; the spread of one trial is unknown"),
            ratios,
            self._baseline(told.get("baseline"), variants),
            media,
            variants,
            programs,
            self._words(machine["command"], ("machine", "command")) if machine else (),
            self._text(machine.get("cpolc", "cpolc"), ("machine", "cpolc"), "the name of cpolc in the machine"),
            self._whole(machine.get("boot_timeout", BOOT_TIMEOUT), where, 1, MOST_SECONDS),
        )

    def _error(self, place: Place, message: str, key: bool = False) -> UserError:
        return UserError(f"{self._at(place, key)}{message}")

    def _known(self, told: Mapping[str, Any], known: Sequence[str], place: Place) -> None:
        for key in told:
            if key not in known:
                hint = suggest(key, known) or f"the keys are {listing(known)}"
                raise self._error((*place, key), f"there is no key `{key}`; {hint}", True)

    def _table(self, told: Any, place: Place) -> Mapping[str, Any]:
        if not isinstance(told, Mapping):
            name = ".".join(map(str, place))
            raise self._error(place, f"`{name}` is a table; write [{name}] alone on a line, and its keys below")
        return told

    def _named(self, told: Mapping[str, Any], key: str) -> list[tuple[str, Mapping[str, Any]]]:
        table = self._table(told[key], (key,))
        if not table:
            raise self._error((key,), f"`{key}` is empty; add {NEEDED[key]}")
        for name in table:
            if not NAME.fullmatch(name):
                message = f"{name!r:.60} is no name; use letters, digits, - and _, at most 40, a letter or digit first"
                raise self._error((key, name), message, True)
        return [(name, self._table(each, (key, name))) for name, each in table.items()]

    def _text(self, told: Any, place: Place, what: str) -> str:
        if not isinstance(told, str) or not told or not told.isprintable() or len(told) > 500:
            raise self._error(place, f"{_shown(told)} is no text; write {what} in quotes, on one line")
        return told

    def _whole(self, told: Any, place: Place, low: int, high: int, why: str = "") -> int:
        if isinstance(told, bool) or not isinstance(told, int) or not low <= told <= high:
            most = "2^64 - 1" if high == 2**64 - 1 else f"{high:,}"
            raise self._error(place, f"{_shown(told)} is no whole number from {low} to {most}{why}")
        return told

    def _words(self, told: Any, place: Place) -> tuple[str, ...]:
        if not isinstance(told, list) or not told:
            raise self._error(place, f'{_shown(told)} is no command; write its words as a list: ["sort", "big.txt"]')
        for number, word in enumerate(told):
            if not isinstance(word, str) or "\0" in word or not (word or number):
                raise self._error((*place, number), f"{_shown(word)} is no word of a command; write a text in quotes")
        return tuple(told)

    def _variant(self, name: str, told: Mapping[str, Any]) -> Variant:
        place: Place = ("variants", name)
        self._known(told, ("sysfs", "policy"), place)
        settings = []
        for path, value in self._table(told.get("sysfs", {}), (*place, "sysfs")).items():
            if why := wrong_setting(path):
                raise self._error((*place, "sysfs", path), f"{path!r:.120} {why}", True)
            if not isinstance(value, str) or not value or len(value) > 4000 or "\0" in value:
                message = f'{_shown(value)} is no text; write what goes into the file in quotes, such as "7"'
                raise self._error((*place, "sysfs", path), message)
            settings.append((path, value))
        return Variant(name, tuple(settings), self._policy(told.get("policy"), (*place, "policy")))

    def _policy(self, told: Any, place: Place) -> str:
        """The stdlib's name, or an absolute path: the machine sees the same files."""
        if told is None:
            return ""
        word = self._text(told, place, "the name of a policy of the stdlib, or the path of its file,")
        if "/" not in word and not word.endswith(".cpol"):
            if word not in (names := stdlib_names()):
                hint = suggest(word, names) or "`cpolc stdlib list` shows what is; a file ends in .cpol"
                raise self._error(place, f"{word!r} is no policy of the stdlib; {hint}")
            return word
        path = self._folder / word
        if not path.is_file():
            raise self._error(place, f"there is no policy {path}; name a file beside the study, or one of the stdlib")
        return str(path.resolve())

    def _program(self, name: str, told: Mapping[str, Any]) -> Program:
        place: Place = ("programs", name)
        self._known(told, ("command", "prepare", "footprint", "timeout"), place)
        for key, example in (("command", '["sort", "big.txt"]'), ("footprint", '"256M"')):
            if key not in told:
                raise self._error(place, f"the program {name} has no `{key}`; add {key} = {example}")
        footprint = told["footprint"]
        try:
            if not isinstance(footprint, str):
                raise ValueError(f'{_shown(footprint)} is no size; give one with its unit in quotes, such as "256M"')
            bytes_ = read_size(footprint, LEAST_LIMIT, MOST_BYTES)
        except ValueError as error:
            raise self._error((*place, "footprint"), str(error)) from None
        return Program(
            name,
            self._words(told["command"], (*place, "command")),
            self._words(told["prepare"], (*place, "prepare")) if "prepare" in told else (),
            bytes_,
            self._whole(told.get("timeout", TIMEOUT), (*place, "timeout"), 1, MOST_SECONDS, " (seconds)"),
        )

    def _medium(self, name: str, told: Mapping[str, Any]) -> Medium:
        place: Place = ("swap", name)
        self._known(told, ("device", "size", "algorithm"), place)
        if name == NO_SWAP:
            if told:
                raise self._error(place, "`none` is without swap and has no keys; give what has keys another name")
            return Medium()
        if ("device" in told) == ("size" in told):
            message = f'{name} has one of `device` (a disk: "/dev/vdb") and `size` (of zram: "512M")'
            raise self._error(place, f"{message}; without swap it is [swap.none]")
        if "device" in told:
            return Medium(device=self._device(told, place))
        algorithm = told.get("algorithm", "")
        if not isinstance(algorithm, str) or (algorithm and not NAME.fullmatch(algorithm)):
            raise self._error(
                (*place, "algorithm"), f'{_shown(algorithm)} is no algorithm of zram; write "lz4", "zstd"'
            )
        try:
            if not isinstance(told["size"], str):
                raise ValueError(f'{_shown(told["size"])} is no size; give one with its unit in quotes, such as "512M"')
            return Medium(size=read_size(told["size"], LEAST_LIMIT, MOST_BYTES), algorithm=algorithm)
        except ValueError as error:
            raise self._error((*place, "size"), str(error)) from None

    def _device(self, told: Mapping[str, Any], place: Place) -> str:
        device = self._text(told["device"], (*place, "device"), "the path of a block device")
        if not device.startswith("/dev/") or ".." in device or "//" in device:
            message = f'{_shown(device)} is no device; write its path, such as "/dev/vdb"'
            raise self._error((*place, "device"), message)
        if "algorithm" in told:
            raise self._error((*place, "algorithm"), "a device compresses nothing; leave out `algorithm`", True)
        return device

    def _ratios(self, told: Any) -> tuple[float, ...]:
        if not isinstance(told, list) or not told:
            raise self._error(("ratios",), f"{_shown(told)} is no list of ratios; write ratios = [0.5, 0.75]")
        found: list[float] = []
        for number, each in enumerate(told):
            place: Place = ("ratios", number)
            finite = isinstance(each, int | Decimal) and Decimal(each).is_finite()
            if isinstance(each, bool) or not finite or not 0 < each <= 1:
                message = f"{_shown(each)} is no ratio above 0 and up to 1: the share of the footprint that is memory"
                raise self._error(place, f"{message}; write 0.5 for half of it")
            if Decimal(each) != round(Decimal(each), 3):
                raise self._error(place, f"{_shown(each)} has more than three decimals; round it")
            if float(each) in found:
                raise self._error(place, f"{_shown(each)} stands twice in `ratios`; leave out one")
            found.append(float(each))
        return tuple(found)

    def _limits(self, programs: Mapping[str, Program], ratios: Sequence[float]) -> None:
        for name, program in programs.items():
            if program.footprint * min(ratios) < LEAST_LIMIT:
                message = f"{min(ratios):g} of {size(program.footprint)} is less than {size(LEAST_LIMIT)}"
                raise self._error(("programs", name, "footprint"), f"{message}; give a larger footprint or ratio")

    def _baseline(self, told: Any, variants: Mapping[str, Variant]) -> str:
        if told is None:
            return next(iter(variants))
        if not isinstance(told, str) or told not in variants:
            raise self._error(("baseline",), f"{_shown(told)} is no variant here; write one of {listing([*variants])}")
        return told


def _shown(value: Any) -> str:
    return str(value)[:80] if isinstance(value, Decimal) else repr(value)[:80]
