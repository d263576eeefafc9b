"""Run a command with fewer system calls, by a seccomp filter. Uses only the standard library.

confine.py UNIT COMMAND...           only those that SystemCallFilter= of the systemd unit UNIT allows
confine.py no-link-update COMMAND... without BPF_LINK_UPDATE, as on a kernel that does not support it
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

NUMBERS = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
X86_64 = 0xC000003E
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
"""BPF_LD | BPF_W | BPF_ABS; BPF_JMP | BPF_JEQ | BPF_K; BPF_RET | BPF_K"""
NUMBER_AT, ARCHITECTURE_AT, ARGUMENT_AT = 0, 4, 16
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
BPF, BPF_OBJ_PIN, BPF_LINK_UPDATE = 321, 6, 29
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2

Step = tuple[int, int, int, int]
"""An instruction: code, jump if true, jump if false, operand."""


def allowed_by(unit: str) -> set[str]:
    """The system calls that a unit allows. It has only lines that allow some, so their order does not matter."""
    lines = re.findall(r"^SystemCallFilter=(.*)$", unit, re.MULTILINE)
    words = " ".join(lines).split()
    assert words and not any(word.startswith("~") for word in words), lines
    assert re.search(r"^SystemCallErrorNumber=EPERM$", unit, re.MULTILINE)
    return {name for word in words for name in (members(word) if word.startswith("@") else [word])}


def members(group: str) -> Iterator[str]:
    """The system calls of a group of systemd's, such as @process, with those of the groups in it."""
    command = ["systemd-analyze", "syscall-filter", "--no-pager", group]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for line in text.splitlines()[1:]:
        word = line.strip()
        if word.startswith("@"):
            yield from members(word)
        elif word and not word.startswith("#"):
            yield word


def only(names: set[str]) -> list[Step]:
    """A filter that allows these system calls, and fails others with EPERM."""
    found = re.findall(r"^#define __NR_(\w+) (\d+)$", NUMBERS.read_text(), re.MULTILINE)
    numbers = sorted(int(number) for name, number in found if name in names)
    assert len(numbers) > 100, numbers
    steps: list[Step] = [
        (LOAD, 0, 0, ARCHITECTURE_AT),
        (EQUAL, 1, 0, X86_64),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER_AT),
    ]
    for number in numbers:
        steps += [(EQUAL, 0, 1, number), (RETURN, 0, 0, ALLOW)]
    return [*steps, (RETURN, 0, 0, ERROR | errno.EPERM)]


def fails(command: int, error: int) -> list[Step]:
    """A filter that fails a command of bpf(2) with this error."""
    return [
        (LOAD, 0, 0, NUMBER_AT),
        (EQUAL, 0, 3, BPF),
        (LOAD, 0, 0, ARGUMENT_AT),
        (EQUAL, 0, 1, command),
        (RETURN, 0, 0, ERROR | error),
        (RETURN, 0, 0, ALLOW),
    ]


def confine(steps: list[Step]) -> None:
    """Put this process and those that it starts under a filter."""
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    for words in ((PR_SET_NO_NEW_PRIVS, 1, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(program))):
        if libc.prctl(words[0], ctypes.c_ulong(words[1]), ctypes.c_ulong(words[2]), 0, 0) != 0:
            raise OSError(ctypes.get_errno(), f"prctl({words[0]})")


def main(what: str, *command: str) -> None:
    """Confine this process, and become the command."""
    confine(
        fails(BPF_LINK_UPDATE, errno.EOPNOTSUPP)
        if what == "no-link-update"
        else only(allowed_by(Path(what).read_text()))
    )
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
