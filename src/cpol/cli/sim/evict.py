"""`cpolc sim` for policies that evict: runs them beside one another, and shows each as it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, NoReturn

import click

from cpol.cli.errors import EXIT_FAILURE, code_of
from cpol.cli.messages import say
from cpol.cli.output import STDOUT
from cpol.cli.progress import progress
from cpol.cli.sim.compiling import compile_path
from cpol.cli.sim.notes import note_lacking, note_lost, note_order, note_room
from cpol.cli.sim.rows import Rows
from cpol.compiler.policies import resolve
from cpol.runtime.simulate.runs.assumptions import Assumptions, check_assumptions
from cpol.runtime.simulate.runs.candidates import BELADY, Candidate
from cpol.runtime.simulate.runs.capacity import all_in_pages, in_requests
from cpol.runtime.simulate.runs.evict import Setup, Workload, simulate_once, tasks_of
from cpol.runtime.simulate.runs.jobs import completed
from cpol.runtime.simulate.runs.room import Followed, batch_of, check_single, followed, no_capacity, no_optimum, said_of
from cpol.runtime.simulate.runs.run import Run
from cpol.runtime.simulate.traces import Columns, Stream, Trace, as_kernel, begin, has_written, whole

if TYPE_CHECKING:
    from decimal import Decimal

    from cpol.runtime.simulate.runs.state import Watch


@dataclass(frozen=True)
class Evicting:
    """What the command line says of the runs."""

    path: Path
    format: str | None
    pages: bool
    columns: Columns | None
    sizes: Sequence[int | Decimal]
    batch: int | None
    like_kernel: bool
    seed: int
    assumed: Assumptions
    warmup: int | Decimal
    jobs: int
    belady: bool
    check: bool
    steps: bool
    bytes: bool
    state_to: Path | None
    every: int | None
    log_to: Path | None
    json: bool

    def compare(self, candidates: Sequence[Candidate]) -> None:
        """Run all.

        Raises:
            TraceError, SimulationError, ToolError, MachineError, CliError: it cannot.
            click.exceptions.Exit: an invariant does not hold.
        """
        with progress() as show:
            trace = self.read(candidates, show)
            batch = batch_of(trace, self.batch, self.like_kernel)
            room = self.room(trace)
            sizes = [room.mean] if room else all_in_pages(self.sizes, trace.distinct)
            note_lost(trace)
            check_assumptions(self.assumed, trace)
            for compiled in {id(each.compiled): each.compiled for each in candidates}.values():
                note_lacking(compiled, trace, self.assumed)
            setups = [Setup(each, batch, self.seed, self.assumed.values, self.steps) for each in candidates]
            said = said_of(batch, room, self.batch is not None)
            labels = [*(each.label for each in candidates), *([BELADY] if self.belady else [])]
            rows = Rows(labels, sizes, self.steps, self.bytes, self.json, lambda: show(""))
            if isinstance(trace, Stream):
                run = simulate_once(setups[0], trace, sizes[0], show)
                note_order(trace)
                rows.begin(trace, said)
                rows.put(0, 0, run)
                return
            note_order(trace)
            note_room(trace, sizes, batch, room or followed(trace), room is not None)
            log = watch = None
            if self.log_to is not None:
                from cpol.runtime.explore.traces.log import Log  # with the interpreter, which other runs start without

                log = Log(self.log_to, setups[0], sizes[0], trace)
            if self.state_to is not None:
                from cpol.runtime.simulate.runs.state import Watch

                path = None if self.state_to == STDOUT else self.state_to
                watch = Watch(setups[0].policy, trace, path, self.every)
            warmup = in_requests(self.warmup, trace.requests)
            work = Workload(trace, warmup, room)
            rows.begin(trace, said, warmup)
            runs = self.run(setups, work, sizes, watch, rows, show)
            self.note_like_lru(setups, work, sizes, runs)
        if watch is not None and watch.path is None and not self.json:
            from cpol.cli.sim.state import show as show_state

            show_state(watch)
        if log is not None:
            with progress() as show:
                lines = log.write(show)
            again = f"cpolc check {quote(setups[0].candidate.word)} --replay {quote(str(log.path))}"
            say(f"{log.path}: {lines:,} events and decisions; {again}", "note")
        if self.check and not self.holds(setups, trace, sizes):
            raise click.exceptions.Exit(EXIT_FAILURE)

    def holds(self, setups: list[Setup], trace: Trace, sizes: list[int]) -> bool:
        """Whether all invariants hold. What is found is told at once, on standard error."""
        from cpol.runtime.explore.traces.invariants import check  # with the whole of `cpolc check`

        good = True
        with progress() as show:
            for found in check(setups, trace, sizes, show):
                show("")
                say(found.text, "note" if found.holds else "error")
                good = good and found.holds
        return good

    def runs(self, candidates: Sequence[Candidate]) -> list[Run]:
        """Run all, and return the runs, for a table with others. Raises as `compare`."""
        with progress() as show:
            trace = whole(self.read(candidates, show))
            if not self.sizes:
                raise no_capacity(trace)
            batch = batch_of(trace, self.batch, self.like_kernel)
            sizes = all_in_pages(self.sizes, trace.distinct)
            setups = [Setup(each, batch, self.seed, self.assumed.values, False) for each in candidates]
            work = Workload(trace, in_requests(self.warmup, trace.requests))
            tasks = tasks_of(setups, work, sizes, None, self.belady)
            with closing(completed(tasks, self.jobs, show)) as ended:
                return [run for _, run in sorted(ended, key=lambda each: each[0])]

    def room(self, trace: Trace | Stream) -> Followed | None:
        """The room that runs follow; None: capacities are given. Raises CliError if there is neither."""
        if self.sizes:
            return None
        room = followed(trace)
        if room is None:
            raise no_capacity(trace)
        shown = (("--state", self.state_to is not None), ("--log", self.log_to is not None), ("--check", self.check))
        for option in (option for option, given in shown if given):
            check_single(option, room)
        return room

    def read(self, candidates: Sequence[Candidate], show: Callable[[str], None]) -> Trace | Stream:
        """The trace. A single run reads it part by part, if nothing needs all of it."""
        details = any(each.asks_details for each in candidates)
        trace = begin(self.path, self.format, pages=self.pages, details=details, sizes=self.bytes, columns=self.columns)
        trace = trace if isinstance(trace, Stream) else as_kernel(trace)
        if self.belady and isinstance(trace, Trace) and has_written(trace):
            raise no_optimum(self.path)
        if not self.sizes and trace.format != "record":
            raise no_capacity(trace)  # before all of it is read
        once = len(candidates) == len(self.sizes) == 1 and isinstance(self.sizes[0], int)
        extra = self.belady or self.check or self.state_to is not None or self.log_to is not None or self.warmup
        if once and not extra and not any(each.is_told_nothing for each in candidates):
            return trace
        return whole(trace, lambda requests: show(f"reading {self.path}: {requests:,} requests"))

    def run(
        self,
        setups: Sequence[Setup],
        work: Workload,
        sizes: Sequence[int],
        watch: Watch | None,
        rows: Rows,
        show: Callable[[str], None],
    ) -> dict[tuple[int, int], Run]:
        """Run each policy with each capacity, in the order in which rows are shown. Returns the runs by the numbers of
        both."""
        tasks = tasks_of(setups, work, sizes, watch, self.belady)
        places = [divmod(number, len(sizes)) for number in range(len(tasks))]
        order = sorted(range(len(tasks)), key=lambda number: places[number] if self.json else places[number][::-1])
        ended: dict[tuple[int, int], Run] = {}
        with closing(completed([tasks[number] for number in order], self.jobs, show)) as results:
            try:
                for number, run in results:
                    ended[places[order[number]]] = run
                    rows.put(*places[order[number]], run)
            except KeyboardInterrupt as signalled:
                show("")
                rows.finish()
                text = f"interrupted: {len(ended)} of {len(tasks)} runs have ended; the others are left out"
                interrupted(text, code_of(signalled))
        return ended

    def note_like_lru(
        self,
        setups: Sequence[Setup],
        work: Workload,
        sizes: Sequence[int],
        runs: Mapping[tuple[int, int], Run],
    ) -> None:
        """Tell of policies that are told nothing by their inputs, and then miss what LRU misses."""
        told_nothing = [number for number, setup in enumerate(setups) if setup.candidate.is_told_nothing]
        if not told_nothing:
            return
        compiled = compile_path(resolve("lru"))
        lru = Candidate("lru", compiled, {}, [], "lru", {})
        plain = Setup(lru, setups[0].batch, self.seed, self.assumed.values, False)
        sizes = [work.room.first] if work.room else sizes
        counts = [work.run(plain.simulator(work.trace, size)) for size in sizes]
        for number in told_nothing:
            if all(runs[number, size].counts.misses == each.misses for size, each in enumerate(counts)):
                candidate = setups[number].candidate
                names = ", ".join(candidate.texts)
                what = f"input {names} is" if len(candidate.texts) == 1 else f"inputs {names} are"
                say(
                    f"{candidate.label}: its {what} empty, and so it misses what lru misses; fill with "
                    f"--input {next(iter(candidate.texts))}=…",
                    "note",
                )


def interrupted(what: str, code: int) -> NoReturn:
    """End the process after Ctrl-C, SIGTERM or SIGHUP.

    Threads may still run in C, and read what an orderly end would free. After SIGHUP the terminal may be gone.
    """
    with suppress(OSError):
        say(what, "note")
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(code)
