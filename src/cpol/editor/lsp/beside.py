"""The files that may import a library: in the editor, and below the folder that it works in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

MOST_FILES = 5000
"""Policies, and as many folders, in which a search looks."""

LEFT_OUT = ("node_modules", "__pycache__")


class TooMany(Exception):
    """There are more files than a search looks at; the argument is the folder."""


def policies_beside(library: str, roots: list[str]) -> Iterator[str]:
    """The policies that name a file of this name, below the folder that holds the project.

    The project is the innermost of `roots`, the editor's folders, that has the library; else the innermost folder with
    a `.git`; else the folder above the library's.

    Raises:
        TooMany: there are more than MOST_FILES policies or folders.
    """
    name = Path(library).name.encode()
    for path in _policies(_project(Path(library), roots)):
        try:
            if name in path.read_bytes():
                yield str(path)
        except OSError:
            continue


def _project(library: Path, roots: list[str]) -> Path:
    holding = [Path(root) for root in roots if library.is_relative_to(root)]
    if holding:
        return max(holding, key=lambda root: len(root.parts))
    for folder in library.parents:
        if (folder / ".git").exists():
            return folder
    folder = library.parent.parent
    return library.parent if folder == Path(folder.anchor) else folder


def _policies(top: Path) -> Iterator[Path]:
    files = 0
    for folders, (folder, inner, names) in enumerate(os.walk(top)):
        inner[:] = sorted(name for name in inner if not name.startswith(".") and name not in LEFT_OUT)
        found = [Path(folder) / name for name in sorted(names) if name.endswith(".cpol")]
        files += len(found)
        if max(files, folders) > MOST_FILES:
            raise TooMany(str(top))
        yield from found
