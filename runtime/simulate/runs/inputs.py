"""What an application would tell a policy, for runs on a trace: `--input NAME=…` of `cpolc sim`."""

from __future__ import annotations

from pathlib import Path

from cpol.compiler.ir import InputDecl, Policy
from cpol.errors import RequestError, UserError
from cpol.runtime.machine.errors import ParamError
from cpol.runtime.machine.settings.entries import read_entries, settings_of
from cpol.runtime.machine.settings.inputs import Input, Setting, parse
from cpol.runtime.simulate.simulator import Simulator

MAX_FILE = 64 << 20
"""Largest size of a file of keys, in bytes."""


def inputs_of(given: tuple[str, ...], policies: list[Policy]) -> list[list[Setting]]:
    """The input settings of each policy, in the order given.

    Raises:
        RequestError: a setting is wrong, or no policy has such an input.
    """
    known = {declaration.name for policy in policies for declaration in policy.inputs}
    result: list[list[Setting]] = [[] for _ in policies]
    for text in given:
        name, equals, items = text.partition("=")
        if not equals or not name:
            raise bad(f"{text!r} is not NAME=VALUES, such as scanners=7,8 or weight=2=5 or scanners=@keys.txt")
        if name not in known:
            there = f"there is {', '.join(sorted(known))}" if known else "they have none"
            raise bad(f"no policy here has an input {name!r}; {there}")
        for settings, policy in zip(result, policies, strict=True):
            for declaration in policy.arrays:
                if declaration.name == name:
                    settings += array_settings(declaration, items)
        if all(name not in [declaration.name for declaration in policy.keyed] for policy in policies):
            continue
        for where, item in entries(name, items):
            key, _, value = item.partition("=")
            for settings, policy in zip(result, policies, strict=True):
                if any(declaration.name == name for declaration in policy.keyed):
                    settings.append(checked(policy, (name, key.strip(), value.strip()), where))
    return result


def array_settings(declaration: InputDecl, items: str) -> list[Setting]:
    """The settings of an array whose entries a file holds."""
    if not items.startswith("@"):
        raise bad(
            f"{declaration.name} is an array: give its entries in a file, such as {declaration.name}=@entries.txt"
        )
    try:
        return list(settings_of(declaration, read_entries(declaration, Path(items[1:]))))
    except ParamError as error:
        raise bad(str(error)) from None


def check_fits(policy: Policy, simulator: Simulator, capacity: int) -> None:
    """Refuse files with more entries than their arrays, as the loader does.

    Raises:
        UserError: there is one.
    """
    for name, count in simulator.beyond.items():
        where = next(each.pos for each in policy.arrays if each.name == name).within(policy.path)
        raise UserError(
            f"--input {name}: the file has {count} entries, but with {capacity:,} pages and these params the array "
            f"has fewer ({where}), and the rest would be lost; shorten the file, or change the size"
        )


def entries(name: str, text: str) -> list[tuple[str, str]]:
    """Each KEY or KEY=VALUE, with its place (file and line) for messages."""
    if not text.startswith("@"):
        return [("", item) for item in text.split(",") if item.strip()]
    path = Path(text[1:])
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE + 1)
    except OSError as error:
        raise bad(f"{name}: {path} cannot be read: {error.strerror or error}") from None
    if len(content) > MAX_FILE:
        raise bad(f"{name}: {path} is larger than {MAX_FILE >> 20} MiB; give fewer keys, or ranges of pages")
    lines = content.decode("utf-8", errors="replace").splitlines()
    return [(f"{path}:{number}: ", line.strip()) for number, line in enumerate(lines, 1) if line.strip()]


def checked(policy: Policy, setting: Setting, where: str) -> Setting:
    name, key, value = setting
    declaration = next(declaration for declaration in policy.inputs if declaration.name == name)
    if declaration.value is None and not value:
        value = "true"  # for a set, a key stands alone
    if not value:
        raise bad(f"{where}{name} is a map: give KEY=VALUE, such as {name}={key}=1, not {key!r}")
    try:
        _, numbers, raw = parse(policy, (name, key, value))
        Input(declaration).fill(numbers, raw)
    except ParamError as error:
        raise bad(f"{where}{error}") from None
    return name, key, value


def bad(what: str) -> RequestError:
    return RequestError(what, "--input")
