"""For applications: tell the policy of your cgroup what you know. The same as libcpol(3), in Python.

    from cpol import app

    with app.Policy() as policy, policy.array("degree") as degree, degree.version() as entries:
        for page, edges in enumerate(edges_on_page):
            entries[page] = edges

At the end of the inner block the policy reads all new entries at once. If the block raises, it reads none of them.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from types import TracebackType
from typing import Final, Self

from cpol.runtime.operate.app import LibraryError, find

__all__ = ["FIX_ONE", "Array", "InputError", "Kind", "LibraryError", "Policy", "current_process", "current_thread"]

FIX_ONE: Final = 65536
"""Entries of type `fix` are whole numbers, in units of 1/FIX_ONE."""

ZERO, TAKE = 1, 2


class InputError(OSError):
    """An input cannot be opened or written. `errno` and the message say why.

    ENOENT: there is no policy, or no such input; EACCES: no right; EBUSY: another program writes the array;
    ESTALE: the policy was replaced or detached; EINVAL: the input is of another kind.
    """


class Kind(IntEnum):
    """What the entries of an array are."""

    UNSIGNED = 0
    SIGNED = 1
    FIX = 2
    BOOL = 3


class _Info(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint64), ("width", ctypes.c_uint), ("bits", ctypes.c_uint), ("kind", ctypes.c_int)
    ]  # fmt: skip


class _Library:
    """The loaded library, once for the process."""

    _loaded: ctypes.CDLL | None = None

    @classmethod
    def get(cls) -> ctypes.CDLL:
        if cls._loaded is None:
            library = ctypes.CDLL(str(find()))
            pointer, name, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64
            library.cpol_error.restype = name
            library.cpol_cgroup.restype = library.cpol_array_version.restype = number
            library.cpol_array_entries.restype = pointer
            for function in ("close", "array_close", "array_cancel", "array_info"):
                getattr(library, f"cpol_{function}").restype = None
            for function in ("cgroup", "close", "array_close", "array_cancel", "array_version", "array_publish",
                             "array_entries"):  # fmt: skip
                getattr(library, f"cpol_{function}").argtypes = [pointer]
            library.cpol_open.argtypes = [pointer, name]
            library.cpol_array_open.argtypes = [pointer, name, pointer]
            library.cpol_array_info.argtypes = [pointer, pointer]
            library.cpol_array_begin.argtypes = [pointer, ctypes.c_int, pointer]
            library.cpol_set_add.argtypes = library.cpol_remove.argtypes = [pointer, name, number]
            library.cpol_map_add.argtypes = [pointer, name, number, ctypes.c_int64]
            library.cpol_thread.argtypes = library.cpol_process.argtypes = [pointer]
            cls._loaded = library
        return cls._loaded


def _checked(result: int) -> None:
    if result:
        raise InputError(-result, _Library.get().cpol_error().decode(errors="replace"))


class _Handle:
    """An object of the library, which a `with` block closes."""

    def __init__(self) -> None:
        self._pointer = ctypes.c_void_p()

    @property
    def pointer(self) -> ctypes.c_void_p:
        if not self._pointer:
            raise ValueError("it is closed")
        return self._pointer

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            self.close()


class Policy(_Handle):
    """The policy that governs a cgroup: its own, or that of the nearest cgroup above it that has one.

    Args:
        cgroup: the cgroup's folder; None: that of this process.

    Raises:
        InputError: no policy governs it, or it may not be looked at.
        LibraryError: there is no libcpol.
    """

    def __init__(self, cgroup: str | os.PathLike[str] | None = None) -> None:
        super().__init__()
        folder = None if cgroup is None else os.fsencode(cgroup)
        _checked(_Library.get().cpol_open(ctypes.byref(self._pointer), folder))

    def close(self) -> None:
        """Close it. Its arrays stay open."""
        _Library.get().cpol_close(self._pointer)
        self._pointer = ctypes.c_void_p()

    @property
    def cgroup(self) -> int:
        """The id of the cgroup that the policy is attached to."""
        return int(_Library.get().cpol_cgroup(self.pointer))

    def array(self, name: str) -> Array:
        """Open an array.

        Raises:
            InputError: there is no such array, or no right to write it.
        """
        return Array(self, name)

    def add(self, name: str, key: int, value: int = 1) -> None:
        """Put a key into a set, or give it a raw value in a map. The keys are numbers: threads, processes, files…

        Raises:
            InputError: there is no such input, no right to write it, or it is full.
        """
        _checked(_Library.get().cpol_map_add(self.pointer, name.encode(), key, value))

    def remove(self, name: str, key: int) -> None:
        """Remove a key from a set or a map.

        Raises:
            InputError: it was not there, there is no such input, or no right to write it.
        """
        _checked(_Library.get().cpol_remove(self.pointer, name.encode(), key))


class Array(_Handle):
    """An input that is an array. `Policy.array` opens it."""

    def __init__(self, policy: Policy, name: str) -> None:
        super().__init__()
        _checked(_Library.get().cpol_array_open(policy.pointer, name.encode(), ctypes.byref(self._pointer)))
        info = _Info()
        _Library.get().cpol_array_info(self._pointer, ctypes.byref(info))
        self.size = int(info.size)
        """Entries."""
        self.width = int(info.width)
        """Bytes of an entry."""
        self.bits = int(info.bits)
        """Bits of a value: the policy reads a larger one as the largest of so many bits."""
        self.kind = Kind(info.kind)

    def close(self) -> None:
        """Close it. Do not touch the entries of its versions after that."""
        _Library.get().cpol_array_close(self._pointer)
        self._pointer = ctypes.c_void_p()

    def __len__(self) -> int:
        return self.size

    @property
    def published(self) -> int:
        """The number of the version that the policy reads; 0 at first."""
        return int(_Library.get().cpol_array_version(self.pointer))

    @property
    def entries(self) -> tuple[int, ...]:
        """A copy of the entries that the policy reads: all of one version."""
        while True:
            version = self.published
            entries = tuple(self._view(int(_Library.get().cpol_array_entries(self.pointer))).toreadonly())
            if self.published == version:  # else the half that was copied may be the next version by now
                return entries

    @contextmanager
    def version(self, *, zero: bool = False, take: bool = False) -> Iterator[memoryview[int]]:
        """The entries of a new version, to be written; it is published at the end of the block, unless that raises.

        Args:
            zero: begin with zeros, not with a copy of the version that the policy reads.
            take: take the array, also if another program has begun a version and not ended it.

        Raises:
            InputError: another program writes the array, or the policy was replaced.
        """
        library, memory = _Library.get(), ctypes.c_void_p()
        flags = (ZERO if zero else 0) | (TAKE if take else 0)
        _checked(library.cpol_array_begin(self.pointer, flags, ctypes.byref(memory)))
        assert memory.value is not None
        view = self._view(memory.value)
        try:
            yield view
        except BaseException:
            view.release()
            library.cpol_array_cancel(self.pointer)
            raise
        view.release()
        _checked(library.cpol_array_publish(self.pointer))

    def _view(self, address: int) -> memoryview[int]:
        memory = (ctypes.c_ubyte * (self.size * self.width)).from_address(address)
        letter = {1: "b", 2: "h", 4: "i", 8: "q"}[self.width]
        if self.kind in (Kind.UNSIGNED, Kind.BOOL):
            letter = letter.upper()
        # typeshed wants a literal for the format, and here it depends on the type of the elements.
        return memoryview(memory).cast("B").cast(letter)  # type: ignore[call-overload,no-any-return]


def current_thread() -> int:
    """The key of this thread in an input of threads.

    Raises:
        InputError: this is not the initial pid namespace.
    """
    return _own("cpol_thread")


def current_process() -> int:
    """The key of this process in an input of processes.

    Raises:
        InputError: this is not the initial pid namespace.
    """
    return _own("cpol_process")


def _own(function: str) -> int:
    key = ctypes.c_uint64()
    _checked(getattr(_Library.get(), function)(ctypes.byref(key)))
    return key.value
