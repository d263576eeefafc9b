"""Columns of a trace, and where they are in memory: arrays of our own, or views of what a caller has."""

from __future__ import annotations

import ctypes
import mmap
from array import array
from contextlib import suppress
from typing import Literal, TypeAlias

Column: TypeAlias = "array[int] | memoryview[int]"
"""Numbers of one type. A view is of what the caller has, an array of NumPy, say, and is not copied."""


class _Buffer(ctypes.Structure):
    """Mirrors `Py_buffer`, which is part of Python's stable ABI (PEP 3118)."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        *((name, ctypes.c_void_p) for name in ("shape", "strides", "suboffsets", "internal")),
    ]


def typecode(column: Column) -> str:
    return column.typecode if isinstance(column, array) else column.format


def address(column: Column) -> int:
    """Where its numbers are, one after the other, as long as the column lives."""
    if isinstance(column, array):
        return column.buffer_info()[0]
    view = _Buffer()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(column), ctypes.byref(view), 0)
    try:
        return view.buf or 0
    finally:
        ctypes.pythonapi.PyBuffer_Release(ctypes.byref(view))


HUGE = 1 << 25
"""Bytes from which a column is mapped on its own. Smaller ones come from memory that malloc has had before."""


def zeros(code: Literal["B", "I", "Q"], count: int) -> Column:
    """So many zeros of such a type. Many of them are in huge pages where the kernel has these, and nothing has written
    them yet: the faults of small pages would take longer than to fill them with a sample."""
    size = count * array(code).itemsize
    if size < HUGE:
        return array(code, bytes(size))
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a kernel without huge pages
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memoryview(memory).cast(code)
