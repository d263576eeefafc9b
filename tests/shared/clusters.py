"""Clusters for tests: units on small traces, an S3 server, and workers that a user started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve
from cpol.runtime.simulate.sweep.fetched import listed, local
from cpol.runtime.simulate.sweep.kept import Kept
from cpol.runtime.simulate.sweep.policies import source_of
from cpol.runtime.simulate.sweep.unit import SECONDS, Ended, Found, Reading, Row, Unit, Wanted
from cpol.runtime.simulate.sweep.work import run_unit, version

BUCKET = "traces"


def units_of(found: Sequence[Found], storage: Mapping[str, Any] | None = None, split: bool = False) -> list[Unit]:
    """Units of two policies with two capacities on traces of numbers; with `split`, one for each run."""
    policies = [source_of(compiled(resolve(name)), {}) for name in ("lru", "fifo")]
    runs = tuple(Wanted(policy, capacity, None) for policy in policies for capacity in ("5", "0.5"))
    parts = [(run,) for run in runs] if split else [runs]
    return [
        Unit(trace, trace.name, Reading(), dict(storage or {}), part, 1, "0", version())
        for trace in found
        for part in parts
    ]


def made(folder: Path, count: int, length: int = 300) -> list[Found]:
    """Traces in a folder."""
    for number in range(count):
        (folder / f"{number:02}.txt").write_bytes(content(number, length))
    return listed(f"{folder}/*.txt", {})


def content(seed: int, length: int = 300) -> bytes:
    numbers = (((each + seed) * (each + 7) * 2654435761) % 97 % (20 + seed) for each in range(1, length + 1))
    return "".join(f"{number}\n" for number in numbers).encode()


def table(ended: Iterable[Ended]) -> list[Row]:
    """All rows, in an order that is the same wherever they come from, and without what differs."""
    return sorted((row._replace(**{SECONDS: None}) for _, rows in ended for row in rows), key=repr)


def here(units: Sequence[Unit]) -> list[Row]:
    """The rows of units that are done in this process, one after the other."""
    kept = Kept(local, 1 << 30)
    return table((unit, run_unit(unit, kept)) for unit in units)


@contextmanager
def s3() -> Iterator[dict[str, Any]]:
    """An S3 server with a bucket; yields the options of its store. Credentials are in the environment."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        storage = {"endpoint_url": f"http://{host}:{port}"}
        urlopen(Request(f"{storage['endpoint_url']}/moto-api/reset", method="POST")).close()  # it is one for a process
        s3_client(storage).create_bucket(Bucket=BUCKET)
        yield storage
    finally:
        server.stop()


def put(storage: Mapping[str, Any], name: str, data: bytes) -> None:
    s3_client(storage).put_object(Bucket=BUCKET, Key=name, Body=data)


def s3_client(storage: Mapping[str, Any]) -> Any:
    import boto3

    return boto3.client("s3", **storage)


class Dask:
    """A scheduler that was started as a user would, and its workers."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self.workers: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        self.scheduler = self._begin(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file), "--no-dashboard"
        )
        self.address = str(json.loads(_when(lambda: file.read_text() if file.exists() else ""))["address"])

    def worker(self, preload: str = "", *more: str, nanny: bool = False) -> subprocess.Popen[bytes]:
        """Start a worker, which first runs a text of Python. It need not be there yet."""
        loaded = self._folder / f"preload{len(self.workers)}.py"
        loaded.write_text(preload)
        own = self._folder / f"worker{len(self.workers)}"
        own.mkdir()
        words = ["--nthreads", "1", "--local-directory", str(own), "--preload", str(loaded), "--no-dashboard"]
        words += [] if nanny else ["--no-nanny"]
        self.workers.append(self._begin("worker", self.address, *words, *more))
        return self.workers[-1]

    def joined(self) -> None:
        """Wait until all workers are there."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(len(self.workers), timeout=60)

    def _begin(self, *words: str) -> subprocess.Popen[bytes]:
        log = (self._folder / "log").open("ab")
        self._stack.callback(log.close)
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *words], stdout=log, stderr=log, cwd=self._folder, env=environment()
        )
        self._stack.callback(_end, process)
        return process


@contextmanager
def dask_of_a_user(folder: Path) -> Iterator[Dask]:
    with ExitStack() as stack:
        yield Dask(folder, stack)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _when(value: Any) -> Any:
    """What a function gives once it gives something."""
    until = time.monotonic() + 30
    while not (found := value()):
        assert time.monotonic() < until, "nothing came in 30 s"
        time.sleep(0.05)
    return found


def is_running(process: int) -> bool:
    """Whether there is such a process, and it has not ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def goes(process: int) -> bool:
    """Whether a process ends within some seconds."""
    until = time.monotonic() + 15
    while is_running(process) and time.monotonic() < until:
        time.sleep(0.05)
    return not is_running(process)


def environment() -> dict[str, str]:
    """That of commands that tests start."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
