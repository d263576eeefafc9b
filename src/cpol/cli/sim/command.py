"""`cpolc sim`: run policies on a trace, as native code."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from cpol.cli.errors import CliError, code_of
from cpol.cli.once import Once
from cpol.cli.sim.compiling import compile_policy, expanded
from cpol.cli.sim.evict import Evicting, interrupted
from cpol.cli.sim.files import check_log, check_outputs, files_of
from cpol.cli.sim.options import PREFETCH_ONLY, given, is_meant, prefetch_options
from cpol.cli.trace_options import FormatName, read_mapping
from cpol.compiler.ir import MAX_BATCH
from cpol.compiler.toolchain.process import ToolError
from cpol.runtime.machine.errors import MachineError
from cpol.runtime.machine.native import SimulationError
from cpol.runtime.simulate.runs.assumptions import read_assumptions
from cpol.runtime.simulate.runs.candidates import BUILT_IN, bad_setting, candidates, read_settings
from cpol.runtime.simulate.runs.capacity import read_capacities, read_warmup
from cpol.runtime.simulate.runs.inputs import inputs_of
from cpol.runtime.simulate.runs.jobs import cores
from cpol.runtime.simulate.runs.room import KERNEL_BATCH
from cpol.runtime.simulate.traces import FORMATS, TraceError

STDIN = Path("-")
"""What other commands take for standard input."""


@click.command(name="sim", cls=Once)
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
    multiple=True,
    metavar="NAME=COLUMN,...",
    help="The columns of a trace in lines (separated by commas, semicolons, tabs or blanks) or in Parquet, by number "
    "from 0 or by heading: time (also time_ms, time_us, time_100ns, time_ns), object or page or offset, and file, "
    "size, thread, process, comm, rw, count.",
)
@click.option("--pages", is_flag=True, help="Cut each request into 4 KiB pages.  [default: one page an object]")
@click.option(
    "--capacity",
    "capacities",
    multiple=True,
    metavar="N[,N...]",
    help="Pages (1000), a size in pages of 4 KiB (64M, 1G), or a share of the objects (0.01).  "
    "[default: the room that a recording tells]",
)
@click.option(
    "--batch",
    type=click.IntRange(1, MAX_BATCH),
    help="Pages that one eviction frees: 1 is the exact algorithm, the kernel asks for up to 32.  "
    "[default: 32 of a recording, else 1]",
)
@click.option(
    "--like",
    type=click.Choice(["kernel"]),
    help="Evict as the kernel asks policies to: batches of 32.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE[,VALUE...]",
    help="Set a param (may be repeated). With several values, the policy runs with each.",
)
@click.option(
    "--seed", default=1, show_default=True, type=click.IntRange(0, 2**64 - 1), help="Seed of the random numbers."
)
@click.option(
    "--warmup",
    metavar="N",
    help="Requests at the beginning that fill the cache and do not count (1000, 1e6), or a share of the trace (0.1).",
)
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(min=1),
    help="Runs at a time; they share the trace.  [default: all processors]",
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
    "writeback=no, mapped=no, executable=no, unread=no, or time=STEP from one request to the next, such as 50us "
    "(may be repeated).",
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
    "--bytes",
    "count_bytes",
    is_flag=True,
    help="Show the byte miss ratio, too: the bytes of requests that missed, of those of all. The trace has sizes.",
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
    columns: tuple[str, ...],
    pages: bool,
    capacities: tuple[str, ...],
    batch: int | None,
    like: str | None,
    settings: tuple[str, ...],
    seed: int,
    warmup: str | None,
    jobs: int | None,
    inputs: tuple[str, ...],
    assumptions: tuple[str, ...],
    belady: bool,
    check_invariants: bool,
    state_to: Path | None,
    every: int | None,
    count_steps: bool,
    count_bytes: bool,
    log_to: Path | None,
    latency: int | None,
    bandwidth: int | None,
    kernel: str | None,
    made: tuple[str, int] | None,
    json_output: bool,
) -> None:
    """Simulate policies on a trace: each policy with each capacity.

    POLICY is the name of a stdlib policy (cpolc stdlib list) or a path to a .cpol file; `all` is all of the stdlib that
    evict. Every request is for one page, for any object size, unless --pages is given.

    Policies that prefetch run on a model of swap and of readahead. Beside them, `none` is no
    readahead, and `default` the kernel's own.

    \b
    cpolc sim fifo s3fifo --trace cloudPhysicsIO.oracleGeneral.bin --capacity 0.01,0.1
    cpolc sim lru s3fifo mru --trace app.rec
    cpolc sim leap none default --trace app.rec --capacity 64M --latency 100us
    """
    try:
        sizes = read_capacities(",".join(capacities)) if capacities else []
        read_settings(settings)
        assumed = read_assumptions(assumptions)
        mapped = read_mapping(",".join(columns)) if columns else None
        warm = 0 if warmup is None else read_warmup(warmup)
        if path is None and made is None:
            raise no_trace(policies)
        if path == STDIN and not path.exists():
            raise click.BadParameter(
                "`-` is no file; write --trace /dev/stdin for standard input", param_hint="'--trace'"
            )
        policies = expanded(policies, bool(given(ctx, PREFETCH_ONLY)))
        words = [name for name in policies if name not in BUILT_IN]
        all_compiled = [compile_policy(name) for name in words]
        loaded = [each.policy for each in all_compiled]
        for setting in settings if not loaded else ():
            name = setting.partition("=")[0]
            raise bad_setting(f"no policy here has a param {name!r}: {' and '.join(policies)} take none; leave it out")
        rows = candidates(words, all_compiled, settings, inputs_of(inputs, loaded), inputs)
        evicting = rows
        if is_meant(ctx, policies, loaded):
            evicting = [each for each in rows if not each.policy.prefetches]
        if state_to is not None or every is not None:
            from cpol.cli.sim.state import check_state  # which other runs start without

            check_state(state_to, every, len(rows), len(sizes))
        if count_bytes and pages:
            raise click.UsageError(
                "--bytes and --pages exclude each other: with --pages each request is one page, so that the byte miss "
                "ratio is the miss ratio. Leave out one of them."
            )
        if like == "kernel" and batch not in (None, KERNEL_BATCH):
            raise click.UsageError(
                f"--like kernel evicts in batches of {KERNEL_BATCH}, not {batch}; leave out one of them"
            )
        check_log(log_to, len(rows), len(sizes))
        trial = Evicting(
            path or Path(),
            format,
            pages,
            mapped,
            sizes,
            batch,
            like == "kernel",
            seed,
            assumed,
            warm,
            jobs or cores(),
            belady,
            check_invariants,
            count_steps,
            count_bytes,
            state_to,
            every,
            log_to,
            json_output,
        )
        if is_meant(ctx, policies, loaded):
            from cpol.cli.sim import prefetch as sim_prefetch  # which other runs start without
            from cpol.runtime.simulate.runs import prefetch

            if not sizes:
                raise click.UsageError(
                    "Missing option '--capacity': policies that prefetch run with one that is given."
                )
            source = prefetch.Source(path, made, format, pages, mapped, assumed)
            machine = prefetch.Machine(latency, bandwidth, kernel, seed)
            own = [each for each in rows if each.policy.prefetches]
            contenders = prefetch.contenders(policies, own, seed, assumed.values)
            sim_prefetch.compare(ctx, contenders, source, machine, trial, evicting)
            return
        assert path is not None  # only the model makes traces
        sources = (file for each in all_compiled for file in each.files)
        check_outputs(log_to, state_to, (path, *sources, *files_of(inputs)))
        trial.compare(rows)
    except (TraceError, SimulationError, ToolError, MachineError) as error:
        raise CliError(str(error)) from None
    except KeyboardInterrupt as signalled:
        interrupted("interrupted before a run ended", code_of(signalled))


def no_trace(policies: tuple[str, ...]) -> click.UsageError:
    """The error without --trace. A file among POLICY... that is no policy may be the trace."""
    meant = next((name for name in policies if not name.endswith(".cpol") and Path(name).is_file()), None)
    such = "" if meant is None else f": --trace {quote(meant)}"
    return click.UsageError(f"Missing option '--trace'. Give it: the trace file, plain or compressed{such}.")
