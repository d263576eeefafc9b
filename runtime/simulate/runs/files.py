"""Files that are written row by row while a policy runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

from cpol.compiler.toolchain.files import replacing
from cpol.errors import UserError


@contextmanager
def written(path: Path) -> Iterator[TextIO]:
    """A file to write row by row. It replaces what is there when all rows are.

    Raises:
        UserError: it cannot be written.
    """
    try:
        with replacing(path) as file, TextIOWrapper(file, encoding="utf-8", newline="\n") as out:
            yield out
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from None
