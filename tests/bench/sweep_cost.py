"""What sweeps take: many small traces, one large one, and a plan for a corpus from these (docs/measured/sweeps.md).

sweep_cost.py: makes traces by the code of `cpolc trace synth`, and runs 12 policies with 8 sizes on all of them: in one
process, in two, and on two workers of a scheduler, one of which is killed half-way. The tables must be the same. Then
the policies run on a large trace. --traces, --requests, --policies, --sizes and --large make all of it smaller.

sweep_cost.py --docs FILE: update docs/measured/sweeps.md and sweeps.json from FILE, which --json wrote.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import zstandard

from cpol.runtime.simulate.sweep.kept import bytes_of, digest_of, read_trace
from cpol.runtime.simulate.sweep.store import stored
from cpol.runtime.simulate.sweep.unit import SECONDS, Reading, Row
from cpol.runtime.simulate.traces.synth import make, parse
from cpol.runtime.simulate.traces.write import WRITERS

DOCS = Path(__file__).resolve().parents[2] / "docs" / "measured"
PAGE, FIGURES = DOCS / "sweeps.md", DOCS / "sweeps.json"
BEGIN, END = "<!-- figures: sweep_cost.py -->\n", "<!-- end of figures -->\n"

POLICIES = ["fifo", "clock", "lru", "sieve", "s3fifo", "arc", "lhd", "lecar", "lfu", "wtinylfu", "lruk", "mglru"]
SIZES = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
LARGE_SIZES = (0.01, 0.05, 0.1, 0.3)

CORPUS_TRACES, CORPUS_REQUESTS = 5_231, 262e9
LONGEST = 10**9
"""Requests of a trace as long as the longest that one plans for."""
CORES = (32, 1000)

KILLED = "two workers of a scheduler, one killed"
WORDS = {"one thread": ["--in-process", "--workers", "1"], "two processes": ["--workers", "2"]}
CORES_OF = {"one thread": 1, "two processes": 2, KILLED: 0}
"""The processors that a way has; 0: not all the time the same."""

CPOLC = (sys.executable, "-c", "from cpol.cli.main import main; main()", "sweep")


class Took(NamedTuple):
    """A sweep: seconds by the clock, and its rows."""

    seconds: float
    rows: list[Row]

    @property
    def inside(self) -> float:
        """The seconds of the runs alone."""
        return sum(row.seconds or 0.0 for row in self.rows)

    @property
    def digest(self) -> str:
        """Of the whole table in order, but for the column that differs."""
        rows = sorted(repr(row._replace(**{SECONDS: None})) for row in self.rows)
        return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--traces", type=int, default=200)
    parser.add_argument("--requests", type=int, default=20_000, help="of each small trace")
    parser.add_argument("--policies", type=int, default=len(POLICIES))
    parser.add_argument("--sizes", type=int, default=len(SIZES))
    parser.add_argument("--large", type=int, default=10_000_000, help="requests of the large trace")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--docs", type=Path, help="update the page of docs from such a file, and measure nothing")
    chosen = parser.parse_args()
    if chosen.docs:
        figures = json.loads(chosen.docs.read_text())
        PAGE.write_text(page(PAGE.read_text(), figures))
        FIGURES.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n")
        return
    with tempfile.TemporaryDirectory() as name:
        figures = measure(Path(name), chosen)
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n")
    print(tables(figures))
    sys.exit(len({way["digest"] for way in figures["small"].values()}) > 1)


# --- measurements


def measure(folder: Path, chosen: argparse.Namespace) -> dict[str, Any]:
    say(f"making {chosen.traces} traces of {chosen.requests:,} requests")
    for number in range(chosen.traces):
        write(folder / "small" / f"{number:03}.oracleGeneral.zst", spec_of(number, chosen.requests), number)
    policies, sizes = POLICIES[: chosen.policies], SIZES[: chosen.sizes]
    one = sweep_file(folder, "one", "small/000*", policies[:1], sizes[:1])
    small = sweep_file(folder, "small", "small/*", policies, sizes)
    warm = sweep_file(folder, "warm", "small/000*", policies, sizes[:1])
    run(warm, "warm", "--in-process")  # which compiles the policies
    starts, ways = {}, {}
    for way, words in WORDS.items():
        say(f"{way}: {chosen.traces} x {len(policies)} x {len(sizes)} runs")
        starts[way] = start(one, f"one of {way}", *words)
        ways[way] = run(small, way, *words)
    with workers(folder, 2) as (address, processes):
        starts[KILLED] = start(one, "one of killed", "--scheduler", address)
        say(f"{KILLED}, half-way")
        half = starts[KILLED].seconds + (ways["two processes"].seconds - starts["two processes"].seconds) / 2
        ways[KILLED] = run(small, "killed", "--scheduler", address, kill=(processes[0], half))
    figures: dict[str, Any] = {"small": {}, "large": {}, "machine": machine()}
    for way, took in ways.items():
        figures["small"][way] = {**of(took, starts[way], CORES_OF[way]), "digest": took.digest}
    figures["grid"] = {"traces": chosen.traces, "policies": len(policies), "sizes": len(sizes)}
    figures["grid"]["requests"] = chosen.requests
    say(f"a trace of {chosen.large:,} requests")
    path = folder / "large" / "large.oracleGeneral.zst"
    write(path, f"zipf:objects={max(100, chosen.large // 10)},skew=0.9,requests={chosen.large}", 1)
    figures["costs"] = costs(path)
    large = sweep_file(folder, "large", "large/*", policies, LARGE_SIZES[: chosen.sizes])
    for way, words in WORDS.items():
        took = run(large, f"large in {way}", *words)
        figures["large"][way] = of(took, starts[way], CORES_OF[way])
        figures["costs"][f"run, {way}"] = took.inside / sum(row.requests or 0 for row in took.rows)
    return figures


def start(spec: Path, name: str, *words: str) -> Took:
    """A sweep of one small run. The first one may load what later ones find in memory."""
    return min((run(spec, f"{name} {number}", *words) for number in range(2)), key=lambda took: took.seconds)


def of(took: Took, first: Took, cores: int) -> dict[str, float]:
    """What a sweep took, and what is not its runs: for each, of the processors that it had."""
    alone = first.seconds - first.inside
    failed = [row.error for row in took.rows if row.error]
    if failed:
        sys.exit(f"{len(failed)} runs failed: {failed[0]}")
    return {
        "seconds": took.seconds,
        "start": alone,
        "inside": took.inside,
        "runs": len(took.rows),
        "cores": cores,
        "overhead": ((took.seconds - alone) * cores - took.inside) / len(took.rows),
    }


def costs(path: Path) -> dict[str, float]:
    """Of each request of a large trace: seconds to read it, bytes in memory and on the disk."""
    began = time.perf_counter()
    trace = read_trace(path, Reading())
    digest_of(path)
    seconds = time.perf_counter() - began
    per = len(trace.ids)
    return {"requests": per, "read": seconds / per, "memory": bytes_of(trace) / per, "disk": path.stat().st_size / per}


def spec_of(number: int, requests: int) -> str:
    """Traces that differ: some skewed, some with scans."""
    skew, objects = 0.6 + 0.1 * (number % 7), max(50, requests // (5 + number % 5))
    zipf = f"zipf:objects={objects},skew={skew:.1f},requests={requests - requests // 10}"
    other = ("scan", "uniform", "loop")[number % 3]
    return f"{zipf}+{other}:requests={requests // 10}"


def write(path: Path, spec: str, seed: int) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as file, zstandard.ZstdCompressor().stream_writer(file) as packed:
        WRITERS["oraclegeneral"](make(parse([spec]), seed), packed)


def sweep_file(folder: Path, name: str, traces: str, policies: Sequence[str], sizes: Sequence[float]) -> Path:
    path = folder / f"{name}.toml"
    lines = {"policies": [*policies], "traces": [traces], "capacities": [*sizes]}
    path.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items()))
    return path


def run(spec: Path, name: str, *words: str, kill: tuple[subprocess.Popen[bytes], float] | None = None) -> Took:
    """Run a sweep into a new folder; `kill`: a process, and after how many seconds."""
    out = spec.parent / f"{name}.sweep".replace(" ", "-")
    began = time.perf_counter()
    with subprocess.Popen([*CPOLC, str(spec), "-o", str(out), *words], stdout=subprocess.DEVNULL) as process:
        if kill:
            time.sleep(kill[1])
            if process.poll() is not None:
                say("the sweep ended before a worker was killed: ask for more --traces or --requests")
            kill[0].kill()
        process.wait()
    seconds = time.perf_counter() - began
    if process.returncode:
        sys.exit(f"cpolc sweep {spec.name} {' '.join(words)} ended with {process.returncode}")
    return Took(seconds, [*stored(out).rows.values()])


@contextmanager
def workers(folder: Path, count: int) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and workers, started as a user would: its address, and the workers."""
    file = folder / "scheduler.json"
    begun: list[subprocess.Popen[bytes]] = []
    with (folder / "dask.log").open("wb") as log:

        def begin(*words: str) -> subprocess.Popen[bytes]:
            begun.append(subprocess.Popen([sys.executable, "-m", "dask", *words], stdout=log, stderr=log, cwd=folder))
            return begun[-1]

        try:
            begin("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file), "--no-dashboard")
            until = time.monotonic() + 60
            while not file.exists():
                if time.monotonic() > until:
                    sys.exit(f"the scheduler did not start:\n{(folder / 'dask.log').read_text()}")
                time.sleep(0.1)
            address = json.loads(file.read_text())["address"]
            each = [begin("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard") for _ in range(count)]
            time.sleep(5)  # until they are there: the start of a sweep is not to wait for them
            yield address, each
        finally:
            for process in reversed(begun):
                process.terminate()
                process.wait(30)


def machine() -> list[str]:
    """The commit, the processors, and versions."""
    root = Path(__file__).resolve().parents[2]
    said = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=root, capture_output=True, text=True)
    with Path("/proc/cpuinfo").open() as file:
        model = next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), "")
    import distributed

    versions = f"Python {platform.python_version()}, distributed {distributed.__version__}"
    processors = f"{os.uname().machine.replace('_', '-')}, {len(os.sched_getaffinity(0))} processors ({model})"
    return [said.stdout.strip() or "no repository", processors, versions]


def say(what: str) -> None:
    print(f"==> {what}", file=sys.stderr, flush=True)


# --- the page


def page(text: str, figures: dict[str, Any]) -> str:
    """The page with other figures."""
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"the page lacks {BEGIN.strip()} or {END.strip()}")
    return f"{before}{BEGIN}\n{tables(figures)}\n{END}{after}"


def tables(figures: dict[str, Any]) -> str:
    return "\n".join([*small(figures), *large(figures), *plan(figures), *machine_of(figures)])


def machine_of(figures: dict[str, Any]) -> list[str]:
    commit, processors, versions = figures["machine"]
    return [f"- **Machine:** {processors}.", f"- **With:** {versions}; the tree of {commit}.", ""]


def small(figures: dict[str, Any]) -> list[str]:
    grid = figures["grid"]
    runs = grid["traces"] * grid["policies"] * grid["sizes"]
    is_same = len({way["digest"] for way in figures["small"].values()}) == 1
    same = "The tables are the same" if is_same else "THE TABLES DIFFER"
    return [
        f"**{grid['traces']} traces** of {grid['requests']:,} requests, {grid['policies']} policies,",
        f"{grid['sizes']} sizes: {runs:,} runs. {same}, but for `seconds`.",
        "",
        "| way | s | start, s | runs alone, s | overhead of a run, ms |",
        "| --- | --- | --- | --- | --- |",
        *(f"| {way} | {_cells(took)} |" for way, took in figures["small"].items()),
        "",
    ]


def _cells(took: dict[str, Any]) -> str:
    """Of a sweep that lost a worker, nobody knows how many processors it had."""
    over = f"{1000 * took['overhead']:.1f}" if took["cores"] else ""
    return " | ".join((f"{took['seconds']:.1f}", f"{took['start']:.1f}", f"{took['inside']:.1f}", over))


def large(figures: dict[str, Any]) -> list[str]:
    lines = [
        f"**A trace of {figures['costs']['requests']:,} requests**; reading it is shared by its runs:",
        "",
        "| way | runs | s | start, s | runs alone, s | overhead, % | of it, to read the trace, % |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for way, took in figures["large"].items():
        over = 100 * took["overhead"] * took["runs"] / took["inside"]
        read = 100 * reading(figures) * took["cores"] / took["inside"]
        cells = (f"{value:.1f}" for value in (took["seconds"], took["start"], took["inside"], over, read))
        lines.append(f"| {way} | {took['runs']:.0f} | {' | '.join(cells)} |")
    worst = max(100 * took["overhead"] * took["runs"] / took["inside"] for took in figures["large"].values())
    most = max(1000 * took["overhead"] for took in figures["small"].values() if took["cores"])
    return [
        *lines,
        "",
        f"- **The goal of 20 ms** for a small run is {'met' if most <= 20 else 'missed'}: {most:.1f} ms.",
        f"- **The goal of 5 %** is of runs of ten million requests. Here, of {figures['costs']['requests']:,}, it is",
        f"  {'met' if worst <= 5 else 'missed'}: {worst:.1f} %, with what reading the trace takes.",
        "",
    ]


def reading(figures: dict[str, Any]) -> float:
    """Seconds to read the large trace once."""
    return float(figures["costs"]["read"] * figures["costs"]["requests"])


def plan(figures: dict[str, Any]) -> list[str]:
    """What the corpus takes, from the costs of requests and runs."""
    costs, grid = figures["costs"], 12 * 8
    read, over = CORPUS_REQUESTS * costs["read"], figures["small"]["two processes"]["overhead"]
    all_over = CORPUS_TRACES * grid * max(0.0, over)
    each = {way: costs[f"run, {way}"] for way in WORDS}
    totals = [read + CORPUS_REQUESTS * cost * grid + all_over for cost in each.values()]
    lines = [
        f"**The corpus on paper**: {CORPUS_TRACES:,} traces, {CORPUS_REQUESTS / 1e9:,.0f} G requests, "
        f"{grid} runs of each.",
        "",
        "| what | measured | for the corpus, core hours |",
        "| --- | --- | --- |",
        f"| to read and hash a request, once | {1e9 * costs['read']:.0f} ns | {read / 3600:,.0f} |",
        *(
            f"| a request of a run, mean of the policies, {way} | {1e9 * cost:.0f} ns "
            f"| {CORPUS_REQUESTS * cost * grid / 3600:,.0f} |"
            for way, cost in each.items()
        ),
        f"| overhead of a run | {1000 * over:.1f} ms | {all_over / 3600:,.0f} |",
        "",
        "Two processes share caches and memory here. So the hours below are from those of one thread",
        "to those of two processes.",
        "",
        "| cores | hours, all busy | at the end, with the longest trace alone, min | to read from the store, MB/s |",
        "| --- | --- | --- | --- |",
    ]
    for cores in CORES:
        rounds = math.ceil(grid / min(cores, grid))
        last = LONGEST * (costs["read"] + rounds * max(each.values()))
        rate = CORPUS_REQUESTS * costs["disk"] / (min(totals) / cores)
        hours = " to ".join(f"{total / cores / 3600:,.1f}" for total in sorted(totals))
        lines.append(f"| {cores:,} | {hours} | {last / 60:.0f} | {rate / 1e6:,.0f} |")
    memory = LONGEST * costs["memory"] / (1 << 30)
    return [
        *lines,
        "",
        f"The longest trace is taken to have {LONGEST:,} requests. It takes {memory:.0f} GiB of memory while a",
        "worker keeps it, and a worker keeps traces in half of what it has. A request takes",
        f"{costs['disk']:.1f} bytes here, compressed; those of real traces differ.",
        "",
    ]


if __name__ == "__main__":
    main()
