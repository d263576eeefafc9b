"""Show the progress of the demo: read the lines of guest.sh from standard input, write to standard error.

    progress.py CONFIGURATIONS PASSES SECONDS HEARTBEAT

SECONDS is a first estimate of the time per pass. On a terminal, one line is updated; otherwise a line follows every
HEARTBEAT seconds. Each configuration leaves a line with its sums.
"""

from __future__ import annotations

import os
import select
import sys
import time
from dataclasses import dataclass, field

ERASE = "\r\x1b[K"


@dataclass
class Progress:
    """The passes so far, and an estimate of the time left."""

    configurations: int
    passes: int
    guess: float
    """Estimated seconds per pass, used until the first pass ends."""
    seen: list[tuple[str, float, int]] = field(default_factory=list)
    """For each pass: configuration, seconds, bytes read."""
    last: float = 0.0
    """When the last pass ended, in seconds since the start."""

    def take(self, line: str, now: float) -> str | None:
        """Record the pass that a line reports.

        Returns:
            A line to leave on the screen: a configuration's sums after its last pass, or a line that reports no pass.
        """
        fields = line.split("\t")
        if len(fields) != 6:
            return line
        name, number, seconds, read = fields[:4]
        self.seen.append((name, float(seconds), int(read)))
        self.last = now
        if int(number) < self.passes:
            return None
        own = [each for each in self.seen if each[0] == name][1:]
        mib, took = sum(each[2] for each in own) >> 20, sum(each[1] for each in own)
        return f"    {name:<8} passes 2 to {self.passes}: {mib:4d} MiB read, {took:5.1f} s"

    def status(self, now: float) -> str:
        """Say in one line which pass is running and how long the rest will take."""
        done, total = len(self.seen), self.configurations * self.passes
        mean = sum(seconds for _, seconds, _ in self.seen) / done if done else self.guess
        left = (total - done) * mean - (now - self.last if done else 0.0)
        if done == total:
            return "stopping the machine"
        if not done:
            return f"the machine boots, then the first pass{about(left)}"
        policy, number = divmod(done, self.passes)
        return f"policy {policy + 1} of {self.configurations}, pass {number + 1} of {self.passes}{about(left)}"


def about(seconds: float) -> str:
    """Say the time left in words, rounded to what the estimate supports."""
    if seconds >= 90:
        return f", about {round(seconds / 60)} min left"
    return f", about {max(1, round(seconds / 10)) * 10} s left"


def main(configurations: int, passes: int, guess: float, heartbeat: float) -> None:
    """Show progress until standard input ends."""
    terminal = sys.stderr.isatty()
    progress = Progress(configurations, passes, guess)
    rest, shown = b"", time.monotonic()
    while True:
        ready, _, _ = select.select([0], [], [], 1.0)
        if ready:
            piece = os.read(0, 1 << 16)
            if not piece:
                break
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                leave = progress.take(line.decode(errors="replace"), time.monotonic())
                if leave is not None:
                    print(f"{ERASE if terminal else ''}{leave}", file=sys.stderr, flush=True)
        now = time.monotonic()
        if terminal or now - shown >= heartbeat:
            begin, end = (ERASE, "") if terminal else ("", "\n")
            print(f"{begin}    … {progress.status(now)}", end=end, file=sys.stderr, flush=True)
            shown = now
    print(ERASE if terminal else "", end="", file=sys.stderr)


if __name__ == "__main__":
    try:
        main(*(int(word) for word in sys.argv[1:5]))
    except KeyboardInterrupt:
        sys.exit(130)
