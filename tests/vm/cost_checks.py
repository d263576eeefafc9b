"""Runs in the machine: attach each object and print the number of instructions that the verifier processed.

cost_checks.py LOADER OBJECTS

Prints a line of JSON per object: its name, and `bpf_prog_info.verified_insns` by program. Uses only the standard
library.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

SYSCALL_BPF = 321  # x86-64
PROG_GET_NEXT_ID, PROG_GET_FD_BY_ID, OBJ_GET_INFO_BY_FD = 11, 13, 15
STRUCT_OPS = 27
NAME, NAME_SIZE, VERIFIED = 64, 16, 216  # offsets in struct bpf_prog_info, include/uapi/linux/bpf.h
LIBC = ctypes.CDLL(None, use_errno=True)


def bpf(command: int, attr: bytearray) -> int:
    """Call bpf(2) and return its result; the kernel may write to `attr`. Raises OSError."""
    buffer = (ctypes.c_char * len(attr)).from_buffer(attr)
    result = int(LIBC.syscall(SYSCALL_BPF, command, buffer, len(attr)))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def number(attr: bytearray, offset: int) -> int:
    return int.from_bytes(attr[offset : offset + 4], "little")


def programs() -> set[int]:
    found, last = set(), 0
    while True:
        attr = bytearray(16)
        attr[0:4] = last.to_bytes(4, "little")
        try:
            bpf(PROG_GET_NEXT_ID, attr)
        except FileNotFoundError:
            return found
        last = number(attr, 4)
        found.add(last)


def info(program: int) -> tuple[int, str, int]:
    """Return type, name and verified instructions of a program."""
    attr = bytearray(16)
    attr[0:4] = program.to_bytes(4, "little")
    fd = bpf(PROG_GET_FD_BY_ID, attr)
    try:
        result = bytearray(256)
        attr = bytearray(16)
        address = ctypes.addressof((ctypes.c_char * len(result)).from_buffer(result))
        attr[0:4], attr[4:8], attr[8:16] = (
            fd.to_bytes(4, "little"),
            len(result).to_bytes(4, "little"),
            address.to_bytes(8, "little"),
        )
        bpf(OBJ_GET_INFO_BY_FD, attr)
    finally:
        os.close(fd)
    name = bytes(result[NAME : NAME + NAME_SIZE]).split(b"\0")[0].decode()
    return number(result, 0), name, number(result, VERIFIED)


def main() -> None:
    loader, objects = sys.argv[1], Path(sys.argv[2])
    group = Path("/sys/fs/cgroup/cost")
    group.mkdir()
    (group / "memory.max").write_text(str(64 << 20))
    for path in sorted(objects.glob("*.bpf.o")):
        before = programs()
        done = subprocess.run([loader, "attach", str(path), str(group)], capture_output=True, text=True, check=False)
        name = path.name.removesuffix(".bpf.o")
        if done.returncode:
            print(json.dumps({"name": name, "failure": done.stderr}), flush=True)
            continue
        found = {}
        for program in sorted(programs() - before):
            kind, called, verified = info(program)
            if kind == STRUCT_OPS:
                found[called] = verified
        print(json.dumps({"name": name, "verified": found}), flush=True)
        subprocess.run([loader, "detach", str(group)], capture_output=True, check=True)
    print(json.dumps({"name": "done"}), flush=True)


main()
