"""Reads text and checks that it can be a policy: UTF-8, printable, not empty, at most MAX_BYTES."""

from __future__ import annotations

import re
from pathlib import Path

from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.source import Source, Span
from cpol.compiler.diagnostics.words import closest

MAX_BYTES = 1 << 20

ELF = b"\x7fELF"
"""How objects and programs begin."""

IS_FOLDER = "this is a folder, not a policy"

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")
"""Control characters, such as a CR that ends no line, and characters that change the text direction."""


def read_file(path: str | Path) -> str:
    """Read a file as text.

    Raises:
        CompileError: the file cannot be read, is too large or is not UTF-8.
    """
    name = str(path)
    report = Report(Source(name, ""))
    data = b""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        if isinstance(error, IsADirectoryError):
            report.error("E0002", None, IS_FOLDER, why="a policy is one file", help=in_folder(Path(path)))
        else:
            near = near_file(Path(path)) if isinstance(error, FileNotFoundError) else ""
            helps = f"did you mean {near}?" if near else ""
            report.error("E0002", None, "this file cannot be read", why=reason, help=helps)
    report.check()
    return decode(data, name)


def in_folder(folder: Path) -> str:
    """What to write instead of the path of a folder."""
    files = sorted(folder.glob("*.cpol"))
    return f"name a file in it, such as {files[0]}" if files else "name a file; no .cpol file is in this folder"


def near_file(path: Path) -> str:
    """The policy beside a path that does not exist whose name is most similar; empty if there is none."""
    names = {other.stem: other for other in path.parent.glob("*.cpol") if other.exists()}
    near = path.stem if path.stem in names else closest(path.stem, names)
    return str(path.parent / names[near].name) if near else ""


def decode(data: bytes, name: str) -> str:
    """Decode the bytes of a policy. `name` appears in messages.

    Raises:
        CompileError: there are too many bytes, or they are not UTF-8.
    """
    _check_size(len(data), Report(Source(name, "")))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        good = data[: error.start].decode("utf-8", "replace")
        report = Report(Source(name, good + "\N{REPLACEMENT CHARACTER}"))
        binary = "it has NUL bytes, so it is a binary file" + (" (an object or a program)" if data[:4] == ELF else "")
        text = b"\0" not in data
        report.error(
            "E0003",
            Span(len(good), len(good) + 1),
            "this file is not UTF-8 text",
            label=f"byte 0x{data[error.start]:02x} at offset {error.start}",
            why="a policy is UTF-8 text, so that all tools show the same" if text else binary,
            help="save it as UTF-8 in your editor" if text else "name the policy's source, such as mine.cpol",
        )
        report.check()
        raise AssertionError("unreachable") from error


def check_text(report: Report) -> None:
    """Check for problems that the parser could not report clearly.

    Raises:
        CompileError: the text is too large, empty, or has control characters.
    """
    text = report.source.text
    _check_size(len(text), report)
    control = _CONTROL.search(text)
    surrogate = next((i for i, c in enumerate(text) if "\ud800" <= c <= "\udfff"), -1) if not text.isascii() else -1
    if control:
        nul = control[0] == "\0"
        report.error(
            "E0004",
            Span(*control.span()),
            f"this file has {'a NUL byte' if nul else f'the control character U+{ord(control[0]):04X}'} in it",
            label="is this a binary file?" if nul else "",
            why="" if nul else "a terminal that shows the file would obey it, and hide what stands there",
            help="" if nul else "end lines with LF, or CR LF" if control[0] == "\r" else "remove it, or write a space",
        )
    elif surrogate >= 0:
        report.error(
            "E0003",
            Span(surrogate, surrogate + 1),
            "this text cannot be written as UTF-8",
            help="save the file as UTF-8",
        )
    elif not text.strip():
        say_empty(report)
    report.check()


def say_empty(report: Report) -> None:
    report.error("E0005", None, "this file is empty", help="write `policy NAME { … }`")
    report.check()


def _check_size(size: int, report: Report) -> None:
    if size > MAX_BYTES:
        say_too_large(report, "this file is larger than 1 MiB")


def say_too_large(report: Report, message: str) -> None:
    report.error(
        "E0006",
        None,
        message,
        why="the limit keeps the compiler quick; most policies take a page",
        help="write a shorter policy; data goes into an `input`, which user space fills",
    )
    report.check()
