"""Record what happens to the memory of a cgroup: the object of record.bpf.c, and the loader that runs it."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path
from types import FrameType
from typing import Any, BinaryIO

from cpol.runtime.operate import loader
from cpol.runtime.operate.tracing import Program, TracingError

PROGRAM = Program("record", Path(__file__).resolve().parent, "the recorder")


def command_of(cgroup: str, seconds: int | None = None, *, comm: bool = True, names: bool = True) -> list[str]:
    """The command line that records `cgroup`. The recorder is built if it has to be, which takes seconds.

    Raises:
        TracingError: the object or the loader is missing.
    """
    try:
        command = [str(loader.find()), "record"]
    except loader.LoaderError as error:
        raise TracingError(str(error)) from None
    command += [*(["--seconds", str(seconds)] if seconds else []), *([] if comm else ["--no-comm"])]
    command += [] if names else ["--no-names"]
    return [*command, "--", str(PROGRAM.find()), cgroup]


class Ending:
    """Context manager: SIGINT, SIGTERM and SIGHUP end the recording, and not this process.

    A shell's background programs begin with SIGINT ignored, and must end by it all the same. SIGHUP is ignored under
    nohup, which means it.
    """

    def __init__(self) -> None:
        self._came = False
        self._process: subprocess.Popen[bytes] | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Ending:
        hangup = () if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGHUP,)
        self._before = {
            number: signal.signal(number, self._tell) for number in (signal.SIGINT, signal.SIGTERM, *hangup)
        }
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _tell(self, _number: int, _frame: FrameType | None) -> None:
        self._came = True
        if self._process is not None:
            self._process.terminate()

    def ends(self, process: subprocess.Popen[bytes]) -> None:
        """From now on they end this process, and so does one that came before."""
        self._process = process
        if self._came:
            process.terminate()


def record(command: list[str], out: BinaryIO, ending: Ending) -> int:
    """Record into `out` until the time is over, the cgroup is removed, or a signal comes.

    Returns:
        The exit code of the loader, which prints its own messages; negative: the signal that killed it.
    """
    with subprocess.Popen(command, stdout=out) as process:
        ending.ends(process)
        return process.wait()
