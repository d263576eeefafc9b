"""`cpolc sim`: run policies on a trace, as native code."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from cpol.cli.assume import check_assumptions, note_lacking, read_assumptions
from cpol.cli.capacity import in_pages, read_capacities
from cpol.cli.compiled import Compiled, compiled
from cpol.cli.diagnostics import show as show_diagnostics
from cpol.cli.errors import EXIT_FAILURE, CliError
from cpol.cli.fill import inputs_of
from cpol.cli.policy import errors_shown, named
from cpol.cli.sim_files import check_log, check_outputs, files_of
from cpol.cli.sim_medium import BUILT_IN, is_meant, prefetch_options
from cpol.cli.sim_notes import note_lost, note_order
from cpol.cli.sim_rows import compared, show
from cpol.cli.sim_runs import BELADY, Setup, check, optimum, simulate, simulate_once
from cpol.compiler.ir import MAX_BATCH, Policy
from cpol.compiler.ir.uses import Uses
from cpol.compiler.toolchain.process import ToolError
from cpol.runtime.errors import MachineError, ParamError
from cpol.runtime.native import SimulationError
from cpol.runtime.settings.params import read_params
from cpol.runtime.traces import (
    FORMATS,
    Columns,
    Stream,
    Trace,
    TraceError,
    begin,
    format_of,
    read_columns,
    whole,
)

if TYPE_CHECKING:
    from cpol.cli.sim_log import Log
    from cpol.cli.sim_state import Watch

if TYPE_CHECKING:
    _FormatChoice = click.Choice[str]
else:
    _FormatChoice = click.Choice  # no generic class before click 8.2; Debian 12 has 8.1


class FormatName(_FormatChoice):
    """The name of a trace format in any case, also as other simulators spell it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return format_of(str(value))
        except TraceError as error:
            self.fail(str(error), param, ctx)


STDIN = Path("-")
"""What other commands take for standard input."""


@click.command(name="sim")
@click.argument("policies", metavar="POLICY...", nargs=-1, required=True)
@click.option(
    "--trace",
    "path",
    type=click.Path(path_type=Path),
    help="The trace file, plain or compressed.",
)
@click.option("--format", type=FormatName(FORMATS), help="The trace's format, in any case.  [default: detected]")
@click.option(
    "--columns",
    metavar="NAME=COLUMN,...",
    help="The columns of a trace in lines (separated by commas, semicolons, tabs or blanks) or in Parquet, by number "
    "from 0 or by heading: time (also time_ms, time_us, time_100ns, time_ns), object or page or offset, and file, "
    "size, thread, process, comm, rw, count.",
)
@click.option("--pages", is_flag=True, help="Cut each request into 4 KiB pages.  [default: one page an object]")
@click.option(
    "--capacity",
    required=True,
    metavar="N[,N...]",
    help="Pages (1000), a size in pages of 4 KiB (64M, 1G), or a share of the objects (0.01).",
)
@click.option(
    "--batch",
    default=1,
    show_default=True,
    type=click.IntRange(1, MAX_BATCH),
    help="Pages that one eviction frees: 1 is the exact algorithm, the kernel asks for up to 32.",
)
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Set a param (may be repeated).")
@click.option(
    "--seed", default=1, show_default=True, type=click.IntRange(0, 2**64 - 1), help="Seed of the random numbers."
)
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="NAME=VALUES",
    help="Fill an input of the policies that have it: KEY,... or KEY=VALUE,...; @FILE: one a line.",
)
@click.option(
    "--assume",
    "assumptions",
    multiple=True,
    metavar="NAME=VALUE",
    help="Say what the trace does not: file=N, thread=N, process=N, comm=NAME, page=object, rw=read, rw=write, "
    "writeback=no, mapped=no, unread=no, or time=STEP from one request to the next, such as 50us (may be repeated).",
)
@click.option(
    "--belady",
    is_flag=True,
    help="Add Belady's optimum to each capacity: the fewest misses of any policy that admits every page.",
)
@click.option(
    "--check",
    "check_invariants",
    is_flag=True,
    help="Then run the trace once more, slowly, and hold the policies' invariants after every event; "
    "exit code 1 if one is broken.",
)
@click.option(
    "--state",
    "state_to",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write what the policy holds, a row every N requests, as CSV to FILE; -: as a table, or into the JSON object.",
)
@click.option(
    "--every",
    metavar="N",
    type=click.IntRange(min=1),
    help="Requests between two rows of --state.  [default: a 20th of the trace]",
)
@click.option(
    "--steps",
    "count_steps",
    is_flag=True,
    help="Count the folios that scans visit for an eviction: mean, 99th percentile, most. The run takes longer.",
)
@click.option(
    "--log",
    "log_to",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Then write all events and decisions to FILE, as the event log that cpolc check --replay reads.",
)
@prefetch_options
@click.option("--json", "json_output", is_flag=True, help="Print one JSON object a line, one for each run.")
@click.pass_context
def command(
    ctx: click.Context,
    policies: tuple[str, ...],
    path: Path | None,
    format: str | None,
    columns: str | None,
    pages: bool,
    capacity: str,
    batch: int,
    settings: tuple[str, ...],
    seed: int,
    inputs: tuple[str, ...],
    assumptions: tuple[str, ...],
    belady: bool,
    check_invariants: bool,
    state_to: Path | None,
    every: int | None,
    count_steps: bool,
    log_to: Path | None,
    latency: int | None,
    bandwidth: int | None,
    kernel: str | None,
    made: tuple[str, int] | None,
    json_output: bool,
) -> None:
    """Simulate policies on a trace: each policy with each capacity.

    POLICY is the name of a stdlib policy (cpolc stdlib list) or a path to a .cpol file. Every
    request is for one page, for any object size, unless --pages is given.

    Policies that prefetch run on a model of swap and of readahead. Beside them, `none` is no
    readahead, and `default` the kernel's own.

    \b
    cpolc sim fifo s3fifo --trace cloudPhysicsIO.oracleGeneral.bin --capacity 0.01,0.1
    cpolc sim leap none default --trace app.rec --capacity 64M --latency 100us
    """
    sizes = read_capacities(capacity)
    if state_to is not None or every is not None:
        from cpol.cli.sim_state import check_state  # which other runs start without

        check_state(state_to, every, len(policies), len(sizes))
    check_log(log_to, len(policies), len(sizes))
    given = read_settings(settings)
    assumed = read_assumptions(assumptions)
    mapped = None if columns is None else read_mapping(columns)
    if path is None and made is None:
        raise no_trace(policies)
    if path == STDIN and not path.exists():
        raise click.BadParameter("`-` is no file; write --trace /dev/stdin for standard input", param_hint="'--trace'")
    all_compiled = [compile_policy(name) for name in policies if name not in BUILT_IN]
    loaded = [each.policy for each in all_compiled]
    for name in given if not loaded else ():
        raise bad_setting(f"no policy here has a param {name!r}: {' and '.join(policies)} take none; leave it out")
    params = [params_of(policy, given, loaded) for policy in loaded]
    filled = inputs_of(inputs, loaded)
    if is_meant(ctx, policies, loaded):
        from cpol.cli import sim_prefetch  # which other runs start without

        source = sim_prefetch.Source(path, made, format, pages, mapped, assumed)
        machine = sim_prefetch.Machine(latency, bandwidth, kernel, seed)
        asked = [*zip(all_compiled, params, filled, strict=True)]
        try:
            rows = sim_prefetch.contenders(policies, asked, seed, assumed.values)
            sim_prefetch.compare(ctx, rows, source, machine, sizes, json_output)
        except (TraceError, SimulationError, ToolError, MachineError) as error:
            raise CliError(str(error)) from None
        return
    assert path is not None  # only the model makes traces
    sources = (file for each in all_compiled for file in each.files)
    check_outputs(log_to, state_to, (path, *sources, *files_of(inputs)))
    try:
        details = any(asks_details(each.uses) for each in all_compiled)
        trace = begin(path, format, pages=pages, details=details, columns=mapped)
        once = len(policies) == len(sizes) == 1 and isinstance(sizes[0], int)
        if not once or belady or check_invariants or state_to is not None or log_to is not None:
            trace = whole(trace)
        sizes_in_pages = [in_pages(size, trace) for size in sizes]
        note_lost(trace)
        check_assumptions(assumed, trace)
        for each in all_compiled:
            note_lacking(each, trace, assumed)
        setups = [
            Setup(each.policy, own, filling, batch, seed, assumed.values, count_steps, each.uses, each.code)
            for each, own, filling in zip(all_compiled, params, filled, strict=True)
        ]
        width = max(len(name) for name in (BELADY, *(policy.name for policy in loaded)))
        if isinstance(trace, Stream):
            once_run = simulate_once(setups[0], trace, sizes_in_pages[0])
            note_order(trace)
            show(compared([once_run]), trace, batch, width, json_output)
            return
        note_order(trace)
        log = None if log_to is None else open_log(log_to, policies[0], setups[0], sizes_in_pages[0], trace)
        watch = None if state_to is None else watching(loaded[0], trace, state_to, every)
        best = optimum(trace, sizes_in_pages if belady else [])
        show(compared(chain(simulate(setups, trace, sizes_in_pages, watch), best)), trace, batch, width, json_output)
        if watch is not None and not json_output:
            watch.show()
        if log is not None:
            log.write()
        if check_invariants and not check(setups, trace, sizes_in_pages):
            raise click.exceptions.Exit(EXIT_FAILURE)
    except (TraceError, SimulationError, ToolError, MachineError) as error:
        raise CliError(str(error)) from None


def no_trace(policies: tuple[str, ...]) -> click.UsageError:
    """The error without --trace. A file among POLICY... that is no policy may be the trace."""
    meant = next((name for name in policies if not name.endswith(".cpol") and Path(name).is_file()), None)
    such = "" if meant is None else f": --trace {quote(meant)}"
    return click.UsageError(f"Missing option '--trace'. Give it: the trace file, plain or compressed{such}.")


def compile_policy(name: str) -> Compiled:
    """Compile POLICY. It prints errors and warnings to standard error.

    Raises:
        CliError: there is no such policy, or the cache cannot be used.
        click.exceptions.Exit: it has errors, which have been printed.
    """
    try:
        with errors_shown():
            made = compiled(named(name))
    except ToolError as error:
        raise CliError(str(error)) from None
    show_diagnostics(made.warnings)
    return made


def open_log(path: Path, word: str, setup: Setup, capacity: int, trace: Trace) -> Log:
    from cpol.cli.sim_log import Log  # and with it the interpreter, which other runs start without

    return Log(path, word, setup, capacity, trace)


def watching(policy: Policy, trace: Trace, state_to: Path, every: int | None) -> Watch:
    from cpol.cli.sim_state import Watch

    return Watch(policy, trace, state_to, every)


def asks_details(uses: Uses) -> bool:
    """Whether a policy that uses so much needs the times, tasks or writes of a trace."""
    return uses.task or uses.time or uses.flags or uses.writes


def read_mapping(text: str) -> Columns:
    """The value of `--columns`. Raises click.BadParameter."""
    try:
        return read_columns(text)
    except TraceError as error:
        raise click.BadParameter(str(error), param_hint="'--columns'") from None


def read_settings(settings: tuple[str, ...]) -> dict[str, int | str]:
    result: dict[str, int | str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise bad_setting(f"{setting!r} is not NAME=VALUE")
        if name in result:
            raise bad_setting(f"{name} is given twice")
        result[name] = value
    return result


def params_of(policy: Policy, given: dict[str, int | str], policies: list[Policy]) -> dict[str, int | str]:
    """The given values for the params of `policy`. Raises click.BadParameter if no policy has such a param."""
    known = {param.name for other in policies for param in other.params}
    for name in given:
        if name not in known:
            there = f"there is {', '.join(sorted(known))}" if known else "they have none"
            raise bad_setting(f"no policy here has a param {name!r}; {there}")
    own = {param.name: given[param.name] for param in policy.params if param.name in given}
    try:
        read_params(policy, own)
    except ParamError as error:
        raise bad_setting(f"{policy.name}: {error}") from None
    return own


def bad_setting(what: str) -> click.BadParameter:
    return click.BadParameter(what, param_hint="'--set'")
