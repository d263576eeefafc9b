"""In the machine: a recorder that runs (`cpolc record`, or the loader's `record`), and how to end it."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path


class Recorder:
    """A recorder. What it prints goes beside `out`."""

    def __init__(self, command: Sequence[object], out: Path) -> None:
        self.out = out
        with out.with_suffix(".out").open("wb") as stdout:
            self.process = subprocess.Popen([*map(str, command)], stdout=stdout, stderr=subprocess.PIPE, text=True)
        self.said = self._line()
        assert self.said.startswith("recording /sys/fs/cgroup/"), self.said + self._rest()

    def _line(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.readline()

    def _rest(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read()

    def end(self, number: int | None = signal.SIGINT) -> str:
        """End it, and return what it said."""
        if number is not None:
            self.process.send_signal(number)
        said = self._rest()
        assert self.process.wait() == 0, said
        return said
