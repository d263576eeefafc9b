"""Stands for a machine of `cpolc study`: prints an outcome that the trial's name and FAKE_* variables decide.

FAKE_LOG: a file that gets a line for each trial. FAKE_STOP: after so many lines, this machine waits to be ended, and
removes the file FAKE_LOG.on then.
FAKE_BREAK: ends without an outcome if the trial's name has this in it. FAKE_LATE: ends with an error after its outcome.
FAKE_FAIL: the program fails.
"""

from __future__ import annotations

import base64
import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any


def main() -> None:
    job = json.loads(base64.urlsafe_b64decode(sys.argv[-1]))
    assert sys.argv[-3:-1] == ["study", "trial"], sys.argv
    if log := os.environ.get("FAKE_LOG"):
        with Path(log).open("a") as file:
            file.write(f"{job['id']}\n")
        if os.environ.get("FAKE_STOP") == str(len(Path(log).read_text().splitlines())):
            waits(Path(f"{log}.on"))
    if os.environ.get("FAKE_BREAK", "\0") in job["id"]:
        print("kernel panic", file=sys.stderr)
        sys.exit(3)
    print("a machine may say anything before")
    print(json.dumps(outcome(job, os.environ.get("FAKE_FAIL", "\0") in job["id"])))
    if os.environ.get("FAKE_LATE", "\0") in job["id"]:
        sys.exit("the disk is lost")


def waits(there: Path) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(there.unlink()))
    there.touch()
    time.sleep(600)


def outcome(job: dict[str, Any], fails: bool) -> dict[str, Any]:
    source = random.Random(job["id"])
    faults = source.randint(1000, 3000)
    base = 8 if ".fast." in job["id"] else 10
    latency = [[1000, 90_000], [2000, 9000], [50_000, 990], [1_000_000, 10]]
    return {
        "cpol_study": 1,
        "id": job["id"],
        "seconds": base + faults / 2000 + source.gauss(0, 0.1),
        "failure": "exit code 7" if fails else "",
        "exit": 7 if fails else 0,
        "stderr": "<b>no & memory\n" if fails else "",
        "oom_kills": 0,
        "counters": {"pgmajfault": faults, "pswpin": 2 * faults},
        "peak": job["limit"],
        "operations": 100_000,
        "latency": {"reads": latency},
        "settings": {path: ["0", value] for path, value in job["settings"]},
        "boot": job["id"],
        "release": "6.12",
        "left": [],
        "wall": 0.0,
    }


if __name__ == "__main__":
    main()
