"""`cpolc sim --log`: all events and decisions of a run, as an event log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from cpol.compiler.comm import UNKNOWN, Comm
from cpol.compiler.ir import uses
from cpol.errors import UserError
from cpol.runtime.machine.events import Op, Row, format_header, format_row
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.native import EventSimulator
from cpol.runtime.simulate.runs.evict import Setup
from cpol.runtime.simulate.runs.files import written
from cpol.runtime.simulate.traces import Trace

MAX_REQUESTS = 1_000_000
"""Of a log. It has some five lines a request, and a replay keeps all of them in memory."""

PART = 1000
"""Requests whose rows are in memory at once."""


class Log:
    """Writes the log of a run.

    Raises:
        UserError: the trace is too long.
    """

    def __init__(self, path: Path, setup: Setup, capacity: int, trace: Trace) -> None:
        if len(trace.ids) > MAX_REQUESTS:
            raise UserError(
                f"--log writes at most {MAX_REQUESTS:,} requests, since a replay keeps all events in memory; "
                f"{trace.path} has {len(trace.ids):,}: give a part of it, or see --state"
            )
        self.path = path
        self.setup = setup
        self.capacity = capacity
        self.trace = trace

    def write(self, show: Callable[[str], None]) -> int:
        """Run the trace once more, event by event; return the number of lines. `show` shows the progress.

        Raises:
            UserError: the file cannot be written.
            SimulationError: the policy is broken, or memory is exhausted.
        """
        setup = self.setup
        machine = Machine(setup.policy, self.capacity, setup.params, setup.batch, setup.seed, setup.inputs)
        header, lines = machine.header, 0
        with written(self.path) as out:
            out.write(format_header(header))
            for number, rows in self.parts():
                show(f"writing {self.path}: request {number:,} of {len(self.trace.ids):,}")
                out.writelines(format_row(row, header) + "\n" for row in rows)
                lines += len(rows)
        return lines

    def parts(self) -> Iterator[tuple[int, list[Row]]]:
        """The requests so far, and the rows since the last part."""
        setup, trace = self.setup, self.trace
        simulator = EventSimulator(setup.policy, self.capacity, setup.params, setup.batch, setup.seed, setup.inputs)
        by_time, asks_writes, writes = uses.of(setup.policy).time, uses.of(setup.policy).writes, False
        task: tuple[Comm, int, int] = (UNKNOWN, 0, 0)
        last_ms = 0
        if (setup.assumed.device, setup.assumed.cgroup) != (0, 0):
            simulator.event(Row(Op.ORIGIN, 0, 0, setup.assumed.device, setup.assumed.cgroup))
        for number, id in enumerate(trace.ids):
            own_task = self.task(number)
            if own_task != task:
                task = own_task
                simulator.event(Row(Op.TASK, *task[0], *task[1:]))
            ms = setup.assumed.ms(number) if trace.times is None else trace.times[number]
            if by_time and ms > last_ms:
                last_ms = ms
                simulator.event(Row(Op.TICK, 0, 0, ms))
            write = bool(setup.assumed.write if trace.writes is None else trace.writes[number])
            if asks_writes and write != writes:
                writes = write
                simulator.event(Row(Op.RW, 0, 0, int(write)))
            file, index = (setup.assumed.file, id) if trace.names is None else (each[id] for each in trace.names)
            if trace.ahead is not None and trace.ahead[number]:
                simulator.read_ahead(file, index)
                if write:
                    simulator.wrote(file, index)
                continue
            simulator.request(file, index)
            if write:
                simulator.wrote(file, index)
            if number % PART == PART - 1:
                yield number + 1, simulator.take_log()
        yield len(trace.ids), simulator.take_log()

    def task(self, number: int) -> tuple[Comm, int, int]:
        """The command, the thread and the process of a request."""
        trace, assumed = self.trace, self.setup.assumed
        thread = assumed.thread if trace.tasks is None else trace.tasks[number]
        process = assumed.process if trace.processes is None else trace.processes[number]
        return assumed.comm if trace.comms is None else trace.comms.of(number), thread, process
