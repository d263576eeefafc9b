"""Does a unit: runs on one trace. What is wrong with the trace or with a policy becomes rows that say so."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from threading import Lock

import cpol.compiler
import cpol.grammar
import cpol.runtime.machine
import cpol.runtime.simulate
import cpol.stdlib
from cpol.compiler.backend import host
from cpol.compiler.diagnostics.render import printable
from cpol.compiler.toolchain.cache import alone
from cpol.errors import UserError
from cpol.runtime.machine.settings.assumed import Assumed
from cpol.runtime.machine.settings.params import read_params
from cpol.runtime.simulate.advise.blocks import Blocks
from cpol.runtime.simulate.advise.choices import Choice, Runs
from cpol.runtime.simulate.runs.candidates import Candidate, Params
from cpol.runtime.simulate.runs.capacity import all_in_pages, in_requests, read_capacity, read_warmup
from cpol.runtime.simulate.runs.evict import Setup, Workload, best, simulate
from cpol.runtime.simulate.runs.room import batch_of, no_optimum
from cpol.runtime.simulate.runs.run import Run
from cpol.runtime.simulate.sweep.policies import OPTIMUM, compiled_of
from cpol.runtime.simulate.sweep.unit import Row, Source, Traces, Unit, Wanted, failed, row_of
from cpol.runtime.simulate.traces import Trace, has_written
from cpol.version import __version__

WORKS = ("unit.py", "work.py", "kept.py", "policies.py", "fetched.py", "member.py")
"""The files of this room that a worker runs, and that decide what is in a row."""

OF_HALVES = ("advise/blocks.py", "advise/choices.py")
"""Those that decide what `cpolc tune` gets."""


def run_unit(unit: Unit, traces: Traces) -> list[Row]:
    """The rows of a unit. Of what fails, the row has the reason, and all else goes on."""
    try:
        with traces.opened(unit) as opened:
            return _runs(unit, opened.trace, opened.digest)
    except Exception as error:  # whatever a hostile trace does to a reader, it fails these rows alone
        return failed(unit, reason(error))


def _runs(unit: Unit, trace: Trace, digest: str) -> list[Row]:
    if unit.half:
        return _of_half(unit, trace, digest)
    try:
        work = Workload(trace, in_requests(read_warmup(unit.warmup), trace.requests))
    except Exception as error:
        return failed(unit, reason(error), digest)
    rows = []
    for wanted in unit.runs:
        row = row_of(unit, wanted, digest=digest)._replace(objects=trace.distinct)
        try:
            rows.append(_counted(row, _run(wanted, work, unit.seed)))
        except Exception as error:  # each worker has a copy of its own
            rows.append(row._replace(error=reason(error).replace(str(trace.path), unit.label)))
    return rows


def _of_half(unit: Unit, trace: Trace, digest: str) -> list[Row]:
    """What each policy reads from the disk in the half by which `cpolc tune` chooses, as `misses`."""
    rows, blocks = [], _blocks(trace)
    for wanted in unit.runs:
        row = row_of(unit, wanted, digest=digest)
        try:
            pages = all_in_pages([read_capacity(wanted.capacity)], trace.distinct)[0]
            made = compiled_of(wanted.policy)
            _build(_setup(wanted, trace, unit.seed), trace)
            runs = Runs(blocks, pages, batch_of(trace, wanted.batch, False), unit.seed, 1)
            params: Params = {**read_params(made.policy, dict(wanted.policy.params))}
            choice = Choice(wanted.policy.name, made, params)
            rows.append(row._replace(pages=pages, misses=sum(runs.reads(choice, blocks=blocks.half))))
        except Exception as error:
            rows.append(row._replace(error=reason(error)))
    return rows


_LAST: list[tuple[Trace, Blocks]] = []
"""The blocks of the trace that was tuned on last: a search asks for them often."""


def _blocks(trace: Trace) -> Blocks:
    with _BUILDING:
        if not _LAST or _LAST[0][0] is not trace:
            _LAST[:] = [(trace, Blocks.of(trace, None))]
        return _LAST[0][1]


def reason(error: Exception) -> str:
    """What a row says of an error. One that no reader and no run names is shown with its kind."""
    said = printable(" ".join(str(error).split()))
    named = isinstance(error, UserError) or type(error).__module__.startswith("cpol.")
    return said if named and said else f"{type(error).__name__}: {said}".rstrip(": ")


def _run(wanted: Wanted, work: Workload, seed: int) -> Run:
    """A run. Raises UserError, SimulationError, MachineError, ToolError."""
    trace = work.trace
    size = all_in_pages([read_capacity(wanted.capacity)], trace.distinct)[0]
    if wanted.policy == OPTIMUM:
        if has_written(trace):
            raise no_optimum(trace.path)
        return best(work, size)
    setup = _setup(wanted, trace, seed)
    _build(setup, trace)
    return simulate(setup, work, size, None, Lock())


def _setup(wanted: Wanted, trace: Trace, seed: int) -> Setup:
    return Setup(_candidate(wanted.policy), batch_of(trace, wanted.batch, False), seed, Assumed(), False)


def _counted(row: Row, run: Run) -> Row:
    counts = run.counts
    return row._replace(
        pages=run.capacity,
        evicts=run.batch,
        requests=counts.requests,
        misses=counts.misses,
        miss_ratio=counts.miss_ratio,
        evicted=counts.evicted,
        fallback=counts.fallback,
        refused=counts.refused,
        refused_admission=counts.refused_admission,
        seconds=run.seconds,
    )


def _candidate(source: Source) -> Candidate:
    return Candidate(source.name, compiled_of(source), dict(source.params), [], source.name, {})


_BUILT: set[tuple[str, str, bool]] = set()
_BUILDING = Lock()


def _build(setup: Setup, trace: Trace) -> None:
    """Have the policy's native code made once on a machine, whatever processes and threads want it at the same time."""
    compiled, named = setup.candidate.compiled, trace.names is not None
    key = (setup.policy.path, compiled.code, named)
    with _BUILDING:
        if key in _BUILT:
            return
        with alone("sim", compiled.code):
            host.build(setup.policy, compiled.code, named=named)
        _BUILT.add(key)


@cache
def version() -> str:
    """The version of cpol, and a hash of all that decides what a run counts. Two that differ may count differently."""
    whole = hashlib.sha256()
    for path in sorted(_files(), key=lambda each: each[0]):
        whole.update(f"{path[0]}\0{path[1].stat().st_size}\0".encode())
        whole.update(path[1].read_bytes())
    return f"{__version__}+{whole.hexdigest()[:12]}"


def _files() -> list[tuple[str, Path]]:
    found = []
    for package, parts in (
        (cpol.compiler, ["."]),
        (cpol.grammar, ["."]),
        (cpol.stdlib, ["lib"]),
        (cpol.runtime.machine, ["."]),
        (cpol.runtime.simulate, ["traces", "runs", "simulator.py", *OF_HALVES, *(f"sweep/{name}" for name in WORKS)]),
    ):
        folder = Path(next(iter(package.__path__))).resolve()
        every = [each for part in parts for each in ([folder / part] if ".py" in part else (folder / part).rglob("*"))]
        kept = (
            each for each in every if each.suffix in (".py", ".cpol", ".toml", ".j2", ".c", ".h") and each.is_file()
        )
        found += [(f"{package.__name__}/{each.relative_to(folder)}", each) for each in kept]
    return found
