"""Errors of finding and building libcpol."""

from __future__ import annotations


class LibraryError(Exception):
    """The library is missing or cannot be built; the message says why."""
