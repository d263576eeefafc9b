"""What `cpolc sim` needs of a compiled policy. It is kept in the cache: most runs are of a policy that has not changed.

An entry's name is a hash of the policy, its path, all files of the compiler, and this one. Its content begins with a
hash of the rest, and names the libraries that the policy imports, with their hashes. Unpickling can run code, so an
entry is used under the same conditions as a shared object from the cache (cpol.compiler.toolchain.trust).
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import cpol
import cpol.compiler
import cpol.grammar
from cpol.compiler.analysis.facts import Read
from cpol.compiler.diagnostics import Diagnostic
from cpol.compiler.diagnostics.source import Source
from cpol.compiler.ir import Policy, uses
from cpol.compiler.ir.uses import Uses
from cpol.compiler.toolchain.cache import find, make

KIND = "compiled"
DIGEST = hashlib.sha256().digest_size


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
        text = path.read_bytes()
    except OSError:
        return _compile(path)  # which says why
    parts = (_compiler(), str(path).encode("utf-8", "surrogateescape"), text)
    name = f"{hashlib.sha256(b''.join(map(_digest, parts))).hexdigest()[:40]}.pickle"
    entry = find(KIND, name)
    kept = None if entry is None else _load(entry.read_bytes())
    if kept is not None:
        return kept
    made = _compile(path)
    if path.read_bytes() == text:
        try:
            data = pickle.dumps(made, pickle.HIGHEST_PROTOCOL)
        except RecursionError:  # a policy with very deep expressions is compiled each time
            return made
        make(KIND, name, lambda target: target.write_bytes(_digest(data) + data))
    return made


def _load(data: bytes) -> Compiled | None:
    """The entry; None: it is damaged, or a library has changed."""
    if _digest(data[DIGEST:]) != data[:DIGEST]:
        return None
    kept = pickle.loads(data[DIGEST:])
    same = isinstance(kept, Compiled) and all(_library(name) == digest for name, digest in kept.libraries)
    return kept if same else None


def _compile(path: Path) -> Compiled:
    from cpol.compiler.analysis.reads import reads
    from cpol.compiler.backend.c import generate
    from cpol.compiler.stages import run_file

    made = run_file(path)
    libraries = {region.source.path: region.source.text for region in made.source.regions if region.call is None}
    return Compiled(
        made.policy,
        made.source,
        made.warnings,
        tuple(reads(made.typed, made.source)),
        uses.of(made.policy),
        generate(made.policy),
        tuple((name, _digest(text.encode("utf-8"))) for name, text in libraries.items()),
    )


def _library(name: str) -> bytes | None:
    """The hash of a library's text; None: it cannot be read."""
    try:
        return _digest(Path(name).read_bytes().decode("utf-8-sig").encode("utf-8"))
    except (OSError, ValueError):
        return None


@cache
def _compiler() -> bytes:
    """All that decides what becomes of a text: the files of the compiler, this file, and Python, which pickles."""
    digest = hashlib.sha256(f"{cpol.__version__} {sys.version}".encode())
    folders = (Path(next(iter(package))).resolve() for package in (cpol.compiler.__path__, cpol.grammar.__path__))
    for path in (__file__, *(path for folder in folders for path in sorted(_files(str(folder))))):
        with io.FileIO(path) as file:
            digest.update(_digest(path.encode()) + _digest(file.readall()))
    return digest.digest()


def _files(folder: str) -> Iterator[str]:
    """The files below a folder. To make a Path of each would take longer than to read it."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _files(entry.path)
            elif entry.name.endswith((".py", ".toml", ".j2")):
                yield entry.path


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
