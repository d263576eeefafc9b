"""Run the loader's `observe`: programs that count, until the end of the context, and looks at what they counted."""

from __future__ import annotations

import json
import re
import subprocess
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from cpol.runtime.operate import loader
from cpol.runtime.operate.observe import PROGRAM
from cpol.runtime.operate.observe.look import Look, parse
from cpol.runtime.operate.tracing import TracingError

GRACE = 10
"""Seconds that the loader may take to detach."""


class Observer:
    """Context manager: the programs are attached in it.

    Args:
        cgroup: the path of a cgroup.
        heat_shift: count runs of 2 to this power pages, too; None: do not.

    Raises:
        TracingError: the loader, the object, the cgroup, the kernel or the privileges are wrong or missing.
    """

    def __init__(self, cgroup: str, heat_shift: int | None = None) -> None:
        try:
            command = [str(loader.find()), "observe"]
        except loader.LoaderError as error:
            raise TracingError(str(error)) from None
        command += ["--heat", str(heat_shift)] if heat_shift is not None else []
        self._command = [*command, "--", str(PROGRAM.find()), cgroup]
        self.cgroup = cgroup
        self.names: dict[str, str] = {}

    def __enter__(self) -> Observer:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="surrogateescape",
            process_group=0,  # Ctrl-C is for this process, which may take a last look
        )
        try:
            self.cgroup = str(json.loads(self._line())["observing"])
        except BaseException as error:
            self._end()
            if isinstance(error, ValueError | KeyError | TypeError):
                raise TracingError(f"the loader's words are malformed: {error}") from None
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _line(self) -> str:
        assert self._process.stdout is not None and self._process.stderr is not None
        line = self._process.stdout.readline()
        if not line:
            said = self._process.stderr.read().strip().removeprefix("cpol-loader: error: ")
            raise TracingError(said or f"cpol-loader observe ended with {self._process.wait()}")
        return line

    def _end(self) -> None:
        process = self._process
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        with suppress(BrokenPipeError):
            process.stdin.close()  # which ends it
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            process.kill()  # the programs go with it
            process.wait()
        process.stdout.close()
        process.stderr.close()

    def look(self) -> Look:
        """The counts now.

        Raises:
            TracingError: the loader ended.
        """
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # the loader's message says why
            self._process.stdin.write("\n")
            self._process.stdin.flush()
        try:
            look = parse(self._line())
        except (ValueError, KeyError, TypeError) as error:
            raise TracingError(f"the loader's counts are malformed: {error}") from None
        self.names |= look.names
        return look


def mapped_bytes(cgroup: str) -> int | None:
    """Bytes of files that are mapped now by the tasks of a cgroup and those below it; None: it does not tell."""
    try:
        text = Path(cgroup, "memory.stat").read_text()
    except OSError:
        return None
    found = re.search(r"^file_mapped (\d+)$", text, re.MULTILINE)
    return int(found[1]) if found else None
