"""Runs in the machine: where all threads are, if a check takes very long.

A machine that stops idle says nothing otherwise.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from pathlib import Path

PATIENCE = int(os.environ.get("CPOL_PATIENCE", "1200"))
"""Seconds by the machine's clock, which keeps up with the host's while the machine idles."""


def thread_states() -> list[str]:
    """Return a line for each thread of user space and each one in an uninterruptible sleep, with its kernel stack."""
    lines = []
    for task in sorted(Path("/proc").glob("[0-9]*/task/[0-9]*")):
        try:
            command = (task / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            state = (task / "stat").read_text().rpartition(")")[2].split()[0]
            if command or state == "D":
                stack = " < ".join(line.split()[-1] for line in (task / "stack").read_text().splitlines())
                lines.append(f"{task.name} {state} {command or (task / 'comm').read_text().strip()}: {stack}")
        except OSError as error:  # it has ended
            lines.append(f"{task.name} {error.strerror}")
    return lines


def _report(*_: object) -> None:
    print(f"{PATIENCE} s have passed; the threads:", *thread_states(), sep="\n", file=sys.stderr, flush=True)
    faulthandler.dump_traceback(sys.stderr)


def watch() -> None:
    """Begin to wait, by a signal: a thread would be in the way of checks that fork."""
    signal.signal(signal.SIGALRM, _report)
    signal.alarm(PATIENCE)


def end_watch() -> None:
    signal.alarm(0)
