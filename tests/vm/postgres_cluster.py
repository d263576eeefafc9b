"""A PostgreSQL 15 cluster with pgbench's tables: made on the host, served in the machine."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAMS = max(Path("/usr/lib/postgresql").glob("*/bin"), default=Path("/usr/lib/postgresql/15/bin"))
"""Of Debian 12's PostgreSQL 15, or Debian 13's 17."""
SCALE = 5
"""pgbench's: 100,000 rows each, with their index 15 MiB."""

SETTINGS = {
    "shared_buffers": "8MB",
    "max_connections": "20",
    "min_wal_size": "24MB",  # recycled files of the log, as a cluster has that has run for a while
    "autovacuum": "off",
    "jit": "off",
    "listen_addresses": "",
    "dynamic_shared_memory_type": "sysv",
}


def as_user() -> dict[str, Any]:
    """Options of subprocess: PostgreSQL refuses to run as root."""
    return {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}


@contextmanager
def served(data: Path, run: Path, **more: str) -> Iterator[None]:
    """Run the server, and shut it down at the end. Its socket and its messages are in the folder `run`."""
    options = {**SETTINGS, **more, "unix_socket_directories": str(run)}
    words = [PROGRAMS / "postgres", "-D", data, *(f"--{name}={value}" for name, value in options.items())]
    log = run / "log"
    with log.open("wb") as messages:
        server = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=messages, stderr=messages, cwd="/", **as_user()
        )
    try:
        while subprocess.run([PROGRAMS / "pg_isready", "-q", "-h", run], check=False).returncode:
            assert server.poll() is None, log.read_text()
            time.sleep(0.1)
        yield
        server.send_signal(signal.SIGINT)
        assert server.wait() == 0, log.read_text()
    finally:
        server.kill()


def pgbench(run: Path, *words: str) -> float:
    """Return the seconds that its transactions took together; to connect is not in them."""
    command = [PROGRAMS / "pgbench", "-n", "-h", run, "-U", "postgres", *words, "postgres"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rate = re.search(r"^tps = ([\d.]+) \(without", done.stdout, re.MULTILINE)
    many = re.search(r"^number of transactions actually processed: (\d+)", done.stdout, re.MULTILINE)
    assert rate and many, done.stdout
    return int(many[1]) / float(rate[1])


def statement(run: Path, text: str) -> float:
    """Run a statement once; return its seconds. pgbench takes fewer libraries than psql."""
    script = run / "statement"
    script.write_text(text)
    return pgbench(run, "-t", "1", "-f", str(script))


def make_cluster(archive: Path) -> None:
    """Make an archive of a cluster: its files are many, and a machine is slow to open the host's.

    No row of it needs a hint or a vacuum any more, so that who reads it does not write.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data, run = folder / "data", folder / "run"
        run.mkdir()
        if os.geteuid() == 0:
            for one in (folder, run):
                shutil.chown(one, "postgres", "postgres")
        options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--wal-segsize=1", "--no-sync"]
        words = [PROGRAMS / "initdb", "-D", data, *options]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, cwd="/", **as_user())
        with served(data, run, fsync="off", max_wal_size=SETTINGS["min_wal_size"]):
            fill = [PROGRAMS / "pgbench", "-i", "-q", "-s", str(SCALE), "-h", run, "-U", "postgres", "postgres"]
            subprocess.run(fill, check=True, stderr=subprocess.DEVNULL)
            statement(run, "vacuum (freeze, analyze);")
            statement(run, "checkpoint;")
        subprocess.run(["tar", "-C", folder, "--transform", "s/^data/cluster/", "-cf", archive, "data"], check=True)
