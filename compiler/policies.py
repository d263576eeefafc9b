"""Finds a policy: by its name in the standard library, or by the path of its file."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import cpol.stdlib
from cpol.compiler.diagnostics.words import suggest
from cpol.errors import UserError

if TYPE_CHECKING:
    from cpol.compiler.stages import Compilation

STDLIB = Path(next(iter(cpol.stdlib.__path__))).resolve()
"""The folder of the stdlib policies."""


def stdlib_names() -> list[str]:
    """Names of all stdlib policies, sorted."""
    return sorted(path.stem for path in STDLIB.glob("*.cpol"))


def resolve(name: str) -> Path:
    """The file that POLICY names: a path if it looks like one, or else a stdlib policy.

    Raises:
        UserError: there is no such policy; the message suggests the nearest name.
    """
    if not name:
        raise UserError("POLICY is empty; give a name of the standard library (`cpolc stdlib list`), or a path")
    if name == "-" and not Path(name).exists():
        raise UserError(
            "`-` is no policy: only `cpolc fmt` and `cpolc lint` read standard input; name a file, such as mine.cpol"
        )
    if is_path(name):
        path = Path(name)
        if not path.exists():
            raise no_file(path, name)
        return path
    if (ours := STDLIB / f"{name}.cpol").is_file():
        return ours
    if (folder := Path(name)).is_dir():
        from cpol.compiler.syntax.read import in_folder

        raise UserError(f"{name} is a folder, not a policy; {in_folder(folder)}")
    local = local_file(name)
    if local is None and is_library(name):
        raise library(name)
    hint = suggest(name, stdlib_names()) or "`cpolc stdlib list` shows what is"
    if local is not None:
        hint = f"for the file in this folder write {here(local)}"
    raise UserError(f"`{name}` is not in the standard library; {hint}")


def no_file(path: Path, name: str) -> UserError:
    """The error for a path where nothing is."""
    from cpol.compiler.syntax.read import near_file

    if name.startswith("lib/") and is_library(path.stem):
        return library(path.stem)
    near = near_file(path)
    ours = path.stem.lower()
    hint = "`cpolc stdlib list` shows those that come with cpol"
    if near:
        hint = f"did you mean {near}?"
    elif ours in stdlib_names():
        hint = f"that of the standard library is `{ours}`"
    return UserError(f"no such policy file: {name}; {hint}")


def is_library(name: str) -> bool:
    return (STDLIB / "lib" / f"{name}.cpol").is_file()


def library(name: str) -> UserError:
    """The error for a library where a policy should be."""
    see = f"`cpolc stdlib cat lib/{name}` shows it"
    return UserError(f"`{name}` is a library, not a policy; {see}, and `cpolc stdlib list --libraries` lists all")


def is_path(name: str) -> bool:
    """Whether POLICY is a path rather than a stdlib name."""
    return "/" in name or name.endswith(".cpol")


def local_file(name: str) -> Path | None:
    """The file in the current folder that a user may mean by a bare name."""
    return next((path for path in (Path(f"{name}.cpol"), Path(name)) if path.is_file()), None)


def here(local: Path) -> str:
    """A file in the current folder as the word of a command that names it."""
    return quote(f"./{local}")


def files_of(made: Compilation) -> list[Path]:
    """The policy's file, and those of its libraries, which no output may replace."""
    return [Path(made.policy.path), *(Path(each.source.path) for each in made.source.regions if each.call is None)]
