"""Text that others chose, for a terminal."""

from __future__ import annotations


def shown(text: str, keep: str = "\t\n") -> str:
    r"""Escape text that others chose, such as file and cgroup names, for a terminal.

    Each byte of a character that is neither printable nor in `keep` becomes `\xNN`, as in the
    loader.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    handler = "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass"  # JSON may have any
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", handler))
