"""Finds and reads the file of a library.

A name stands for a library that comes with cpol. A text is the path of a file, and leads nowhere
but into the folder of the policy and those below it.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath

import cpol.stdlib
from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.source import Source
from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.read import MAX_BYTES, decode
from cpol.compiler.syntax.whole import Reader

LIBRARIES = Path(next(iter(cpol.stdlib.__path__))).resolve() / "lib"
"""The folder of the libraries that come with cpol."""

ALLOWED = (
    ast.ConstDecl | ast.ParamDecl | ast.EnumDecl | ast.StateDecl | ast.TableDecl | ast.GhostDecl | ast.InputDecl
    | ast.FnDecl | ast.ActionDecl | ast.ScoreDecl
)  # fmt: skip
"""What a library may declare."""


def find(item: ast.Import, report: Report) -> tuple[Path, Path] | None:
    """The file that `item` imports from: its path for messages, and without links. None after an error."""
    if item.file:
        return _file(item, report)
    path = LIBRARIES / f"{item.source.text}.cpol"
    if path.is_file():
        return path, path
    known = sorted(path.stem for path in LIBRARIES.glob("*.cpol"))
    _wrong(
        item,
        report,
        f"there is no library `{item.source.text}`",
        why=f"cpol comes with {listing(known)}",
        help=suggest(item.source.text, known) or f'a file of your own is written `from "{item.source.text}.cpol"`',
    )
    return None


def _file(item: ast.Import, report: Report) -> tuple[Path, Path] | None:
    """The file of an import from a path. None after an error."""
    text = item.source.text
    parts = PurePosixPath(text).parts
    if text.startswith("/") or ".." in parts or "\\" in text or not text.isprintable() or not text.endswith(".cpol"):
        why = "the path of a library begins at the folder of the policy, stays inside it and ends in `.cpol`"
        _wrong(item, report, "this cannot be the path of a library", why=why, help='write `from "FOLDER/FILE.cpol"`')
        return None
    folder = Path(report.source.path).parent
    path = folder / text
    if str(path) in report.libraries:
        return path, path
    try:
        real = path.resolve(strict=True)
        inside = real.is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError) as error:
        _unreadable(item, report, path, error)
        return None
    if inside:
        return path, real
    why = "a link leads out of the folder of the policy"
    _wrong(item, report, f"the library {path} lies elsewhere", why=why, help="copy the file")
    return None


def open_library(
    path: Path, real: Path, item: ast.Import, report: Report, read: Reader
) -> tuple[Source, ast.Library] | None:
    """The text and the AST of the library at `real`. None after an error.

    Raises:
        CompileError: the library has wrong syntax.
    """
    text = report.libraries.get(str(path))
    if text is None:
        data = _content(path, real, item, report)
        if data is None:
            return None
        text = decode(data, str(path))
    inner = Report(Source(str(path), text))
    library = read(inner)
    if isinstance(library, ast.Policy):
        why = "a library begins with `library NAME {`"
        _wrong(item, report, f"{path} holds a policy, not a library", why=why)
        return None
    check_items(library, inner)
    inner.check()
    return inner.source, library


def _content(path: Path, real: Path, item: ast.Import, report: Report) -> bytes | None:
    """The bytes of a file, once it is open and turns out to be a plain one of a trusted owner."""
    policy = Path(report.source.path)
    try:
        file = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode):
                _wrong(item, report, f"the library {path} is no file")
            elif item.file and status.st_uid not in _trusted(policy):
                why = "whoever owns it could change what the policy does"
                _wrong(item, report, f"the library {path} belongs to another user", why=why, help="copy the file")
            else:
                with os.fdopen(file, "rb", closefd=False) as opened:
                    return opened.read(MAX_BYTES + 1)
        finally:
            os.close(file)
    except OSError as error:
        _unreadable(item, report, path, error)
    return None


def _trusted(policy: Path) -> set[int]:
    """Users whose libraries a policy may import. In a browser there are no users, and only libraries of cpol."""
    return {0, os.geteuid(), policy.stat().st_uid if policy.exists() else 0}


def check_items(library: ast.Library, report: Report) -> None:
    """Check that a library declares nothing that only a policy has."""
    for part in library.items:
        if not isinstance(part, ALLOWED):
            what = report.source.slice(part.span).split(None, 1)[0]
            report.error(
                "E0118",
                part.span,
                f"`{what}` cannot stand in a library",
                why="a library has consts, params, enums, states, tables, ghosts, inputs, fns, actions and scores",
                help="a library imports nothing" if isinstance(part, ast.Import) else "write it in the policy",
            )


def _wrong(item: ast.Import, report: Report, message: str, why: str = "", help: str = "") -> None:
    report.error("E0117", item.source.span, message, why=why, help=help)


def _unreadable(item: ast.Import, report: Report, path: Path, error: Exception) -> None:
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    _wrong(item, report, f"the library {path} cannot be read", why=why)
