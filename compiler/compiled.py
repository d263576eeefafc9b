"""A compiled policy, with what a run of it needs. It is kept in the cache: most runs are of one that has not changed.

An entry's name is a hash of the policy, its path, and the states of all files of the compiler and of this one: a file
that was written since has another. Its content begins with a hash of the rest, and names the libraries that the policy
imports, with their hashes. Unpickling can run code, so an entry is used under the same conditions as a shared object
from the cache (cpol.compiler.toolchain.trust).
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import cpol.compiler
import cpol.grammar
from cpol.compiler.analysis.facts import Read
from cpol.compiler.diagnostics import Diagnostic
from cpol.compiler.diagnostics.source import Source
from cpol.compiler.ir import Policy, uses
from cpol.compiler.ir.uses import Uses
from cpol.compiler.syntax.read import MAX_BYTES
from cpol.compiler.toolchain.cache import alone, find, make
from cpol.compiler.toolchain.digest import SIZE, digest
from cpol.version import __version__

if TYPE_CHECKING:
    from cpol.compiler.stages import Compilation

KIND = "compiled"


class Compiled(NamedTuple):
    """A policy without errors.

    `reads` is what it reads of its surroundings, `uses` which features, `code` its C text, `libraries` the files that
    it imports.
    """

    policy: Policy
    source: Source
    warnings: tuple[Diagnostic, ...]
    reads: tuple[Read, ...]
    uses: Uses
    code: str
    libraries: tuple[tuple[str, bytes], ...]

    @property
    def files(self) -> list[Path]:
        """The policy and its libraries."""
        return [Path(self.policy.path), *(Path(name) for name, _ in self.libraries)]


def compiled(path: Path) -> Compiled:
    """Compile a file, or take what is kept of it.

    Raises:
        CompileError: the file cannot be read, or has errors.
        ToolError: the cache cannot be used.
    """
    try:
        text = _begin(path) if path.is_file() else None
    except OSError:
        text = None
    if text is None:
        return _compile(path)  # which says why, or reads a pipe
    parts = (_compiler(), str(path).encode("utf-8", "surrogateescape"), text)
    name = f"{digest(b''.join(map(digest, parts))).hex()[:40]}.pickle"
    kept = _kept(name, {})
    if kept is not None:
        return kept
    made = _compile(path)
    if _begin(path) == text:
        _keep(name, made)
    return made


def _begin(path: Path) -> bytes:
    """As much of a file as a policy may have, and one byte more. Raises OSError."""
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def _kept(name: str, given: Mapping[str, str]) -> Compiled | None:
    """The entry; None: there is none, it is damaged, or a library has changed. `given`: texts in place of files."""
    entry = find(KIND, name)
    data = b"" if entry is None else entry.read_bytes()
    if not data or digest(data[SIZE:]) != data[:SIZE]:
        return None
    kept = pickle.loads(data[SIZE:])
    own = {path: digest(text.encode("utf-8")) for path, text in given.items()}
    same = isinstance(kept, Compiled) and all((own.get(path) or _library(path)) == was for path, was in kept.libraries)
    return kept if same else None


def _keep(name: str, made: Compiled) -> None:
    """Make an entry. A policy with very deep expressions has none: it is compiled each time."""
    try:
        data = pickle.dumps(made, pickle.HIGHEST_PROTOCOL)
    except RecursionError:
        return
    make(KIND, name, lambda target: target.write_bytes(digest(data) + data))


def compiled_text(text: str, path: str, libraries: Mapping[str, str] | None = None) -> Compiled:
    """Compile a text; nothing of it is kept. `path` names it in messages, and its imports are found from there.

    Args:
        libraries: texts by path, which take the place of those files.

    Raises:
        CompileError: it has errors.
    """
    from cpol.compiler.stages import run

    return _finish(run(text, path, libraries))


def compiled_once(text: str, path: str, libraries: Mapping[str, str], made: Compiled | None = None) -> Compiled:
    """As `compiled_text`, or what is kept of these texts. Processes of a machine that begin at once compile them once.

    Args:
        made: what the texts came to, if that is known; it is kept.

    Raises:
        CompileError: the policy has errors.
        ToolError: the cache cannot be used.
    """
    words = (path, text, *(word for each in sorted(libraries.items()) for word in each))
    parts = (_compiler(), *(word.encode("utf-8", "surrogateescape") for word in words))
    name = f"{digest(b''.join(map(digest, parts))).hex()[:40]}.texts.pickle"
    if (found := _kept(name, libraries)) is not None:
        return found
    with alone(KIND, name):
        if (found := _kept(name, libraries)) is not None:
            return found
        made = made or compiled_text(text, path, libraries)
        _keep(name, made)
        return made


def texts_of(source: Source) -> dict[str, str]:
    """The libraries that a policy imports, by path."""
    return {each.source.path: each.source.text for each in source.regions if each.call is None}


def _compile(path: Path) -> Compiled:
    from cpol.compiler.stages import run_file

    return _finish(run_file(path))


def _finish(made: Compilation) -> Compiled:
    from cpol.compiler.analysis.reads import reads
    from cpol.compiler.backend.c import generate

    libraries = texts_of(made.source)
    return Compiled(
        made.policy,
        made.source,
        made.warnings,
        tuple(reads(made.typed, made.source)),
        uses.of(made.policy),
        generate(made.policy),
        tuple((name, digest(text.encode("utf-8"))) for name, text in libraries.items()),
    )


def _library(name: str) -> bytes | None:
    """The hash of a library's text; None: it cannot be read."""
    try:
        return digest(Path(name).read_bytes().decode("utf-8-sig").encode("utf-8"))
    except (OSError, ValueError):
        return None


@cache
def _compiler() -> bytes:
    """All that decides what becomes of a text: the files of the compiler, this file, and Python, which pickles.

    No file changes without a new time of its change (ctime). To read them all takes longer than to load what is kept.
    """
    parts = [f"{__version__} {sys.version}", _state(__file__, Path(__file__).stat())]
    folders = (Path(next(iter(package))).resolve() for package in (cpol.compiler.__path__, cpol.grammar.__path__))
    parts += (state for folder in folders for state in sorted(_files(str(folder))))
    return digest("\0".join(parts).encode("utf-8", "surrogateescape"))


def _files(folder: str) -> Iterator[str]:
    """The files below a folder, and their states."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _files(entry.path)
            elif entry.name.endswith((".py", ".toml", ".j2")):
                yield _state(entry.path, entry.stat())


def _state(path: str, status: os.stat_result) -> str:
    return f"{path} {status.st_ino} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"
