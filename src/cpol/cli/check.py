"""`cpolc check`: compile a policy, then search for events that break one of its properties."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, NoReturn

import click
from click.core import ParameterSource
from hypothesis.configuration import set_hypothesis_home_dir

from cpol.cli.errors import EXIT_FAILURE, EXIT_TOOL, EXIT_UNREACHED, EXIT_USAGE, CliError
from cpol.cli.messages import say
from cpol.cli.once import Once
from cpol.cli.output import spare
from cpol.cli.policy import compilation
from cpol.cli.progress import progress
from cpol.cli.test import Outcome, describe_failure, test_as_json
from cpol.compiler.ir import Policy
from cpol.compiler.policies import files_of
from cpol.compiler.toolchain import cache
from cpol.compiler.toolchain.process import ToolError
from cpol.errors import UserError
from cpol.printable import shown
from cpol.runtime.explore.check import PROPERTIES, Counterexample, Result, UnconfirmedError, check, check_log
from cpol.runtime.explore.check.against import compare
from cpol.runtime.explore.check.policy_test import run_test
from cpol.runtime.explore.check.report import as_json, as_text, difference_as_json, difference_as_text
from cpol.runtime.explore.check.traits import traits
from cpol.runtime.machine.events import LogError, read, save
from cpol.runtime.machine.interp import MachineError, ParamError
from cpol.runtime.machine.interp.replay import DifferentError, ReplayError

if TYPE_CHECKING:
    from cpol.compiler.stages import Compilation


_SEARCH_ONLY = ("max_examples", "seed", "save_to")
"""Parameters of the command that a replay has no use for."""
_PROPERTIES_ONLY = ("save_to", "replay_from", "no_native")
"""Those that a comparison of two policies has no use for."""


@click.command(name="check", cls=Once)
@click.argument("policy")
@click.option("--max-examples", default=200, show_default=True, type=click.IntRange(min=1), help="Number of scenarios.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Seed of the scenarios.")
@click.option("--json", "json_output", is_flag=True, help="Print one JSON object.")
@click.option(
    "--save",
    "save_to",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file for a counterexample.  [default: NAME.counterexample]",
)
@click.option(
    "--replay",
    "replay_from",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Replay an event log, such as a saved counterexample, instead of searching.",
)
@click.option("--no-native", is_flag=True, help="Do not compare native code with the interpreter.")
@click.option(
    "--against",
    metavar="POLICY",
    help="Instead search for the shortest events after which this policy keeps other folios.",
)
@click.pass_context
def command(
    ctx: click.Context,
    policy: str,
    max_examples: int,
    seed: int,
    json_output: bool,
    save_to: Path | None,
    replay_from: Path | None,
    no_native: bool,
    against: str | None,
) -> None:
    """Check a policy: its types, then its properties against the interpreter and native code.

    First it runs the policy's own tests, as `cpolc test` does. The search begins with their events.
    Then it generates small caches, params, inputs, tasks, ticks and events at random, and runs of
    thousands of requests until every statement ran.
    In the end native code runs a million requests, and holds the invariants after every event.
    When a property breaks, it prints the smallest events that break it, and saves them as an event
    log. A policy whose doc comment says that it falls back may propose nothing.
    With --against it compares two policies' decisions, and looks at no property.

    \b
    Exit code: 0  no property broke, and every statement ran; no difference was found
               1  a test failed, or a property broke; the two policies differ
               2  the policy or the command line is wrong
               3  no property broke, but statements never ran
               4  a compiler or another tool failed

    POLICY is the name of a stdlib policy (cpolc stdlib list) or a path to a .cpol file.
    """
    if replay_from is not None:
        check_replay(ctx)
    made = valid(policy)
    if against is not None:
        check_against(ctx)
        compare_with(made.policy, valid(against).policy, max_examples, seed, json_output)
        return
    ir = made.policy
    if save_to is not None:
        try:
            spare("--save", save_to, files_of(made))
        except CliError as error:
            raise InvalidError(error.message) from None
    keep_out_of_this_folder()
    if replay_from is not None:
        found = replay_file(policy, ir, replay_from, not no_native)
        report: dict[str, Any] = {"replayed": str(replay_from)}
        summary = f"{ir.name}: {replay_from} replays, and every property holds"
    else:
        tests = run_tests(policy, ir, not no_native)
        if any(outcome.failure is not None and outcome.failure.expected for outcome in tests):
            end_with(ir, tests, json_output)
        result = search(ir, max_examples, seed, not no_native)
        found = result.counterexample
        if found is None and any(outcome.failure is not None for outcome in tests):
            end_with(ir, tests, json_output)
        report = {
            "seed": seed,
            "examples": result.examples,
            "long_runs": result.long_runs,
            "requests": result.requests,
            "events": result.events,
            "properties": checked(not no_native),
            "statements": len(result.statements),
            "unreached": [pos.facts for pos in result.unreached],
            "ran": result.ran,
            "stopped_early": result.stopped_early,
        }
        summary = describe(ir, result, seed, not no_native)
    report = {"policy": ir.name, "path": ir.path, "ok": found is None, **report, "counterexample": None}
    if found is not None:
        report["counterexample"] = as_json(found)
        summary = failure(found)
        path = replay_from or save_to or Path(f"{ir.name}.counterexample")
        saved = replay_from is not None or save_log(found, path)
        if replay_from is None:
            report["counterexample"]["file"] = str(path) if saved else None
            again = f"cpolc check {quote(policy)} --replay {quote(str(path))}"
            summary += f"\nsaved to {path}; replay it with: {again}" if saved else ""
        summary += f"\nstep through it with: cpolc step {quote(policy)} {quote(str(path))}" if saved else ""
    click.echo(json.dumps(report, indent=2) if json_output else shown(summary))
    if found is not None:
        raise click.exceptions.Exit(EXIT_FAILURE)
    if report.get("unreached"):
        raise click.exceptions.Exit(EXIT_UNREACHED)


def check_replay(ctx: click.Context) -> None:
    """Refuse options of the search, which a replay does not make. Raises click.BadParameter."""
    for param in ctx.command.params:
        if param.name in _SEARCH_ONLY and ctx.get_parameter_source(param.name) is ParameterSource.COMMANDLINE:
            raise click.BadParameter(
                "is about the search, and --replay makes none: leave out one of them", param_hint=f"'{param.opts[0]}'"
            )


def check_against(ctx: click.Context) -> None:
    """Refuse options that a comparison has no use for. Raises click.BadParameter."""
    for param in ctx.command.params:
        if param.name in _PROPERTIES_ONLY and ctx.get_parameter_source(param.name) is ParameterSource.COMMANDLINE:
            raise click.BadParameter(
                "is about properties, and --against looks at none: leave out one of them",
                param_hint=f"'{param.opts[0]}'",
            )


def compare_with(policy: Policy, other: Policy, max_examples: int, seed: int, json_output: bool) -> None:
    for each in (policy, other):
        if not each.evicts:
            raise InvalidError(
                f"{each.path}: policy {each.name} evicts nothing, and --against compares what is cached: "
                "name two policies that have `on evict`"
            )
    keep_out_of_this_folder()
    with progress() as show:
        result = compare(policy, other, max_examples, seed, lambda what: show(f"{policy.name}: {what}"))
    found = result.difference
    names = f"{policy.name} ({policy.path}) and {other.name} ({other.path})"
    if found is not None:
        summary = f"{names} decide differently: {difference_as_text(found)}"
    else:
        summary = (
            f"{names}: no difference found in {result.scenarios} scenarios (seed {seed})\n"
            "note: a search proves nothing; --max-examples and --seed try more"
        )
        if result.stopped_early:
            summary += "\nnote: stopped early: an event runs so many statements that less was tried"
    report = {
        "policy": policy.name,
        "path": policy.path,
        "against": {"policy": other.name, "path": other.path},
        "ok": found is None,
        "seed": seed,
        "scenarios": result.scenarios,
        "stopped_early": result.stopped_early,
        "difference": difference_as_json(found) if found is not None else None,
    }
    click.echo(json.dumps(report, indent=2) if json_output else shown(summary))
    if found is not None:
        raise click.exceptions.Exit(EXIT_FAILURE)


class InvalidError(CliError):
    """The policy cannot be checked."""

    exit_code = EXIT_USAGE


class ToolFailure(CliError):
    """A tool failed, so nothing is known of the policy."""

    exit_code = EXIT_TOOL


def valid(name: str) -> Compilation:
    try:
        return compilation(name)
    except UserError as error:
        raise InvalidError(str(error)) from None
    except click.exceptions.Exit:
        raise click.exceptions.Exit(EXIT_USAGE) from None


def keep_out_of_this_folder() -> None:
    """Move Hypothesis's cache from the current folder to ours. Hypothesis works without it, too."""
    set_hypothesis_home_dir(cache.root() / "hypothesis")


def search(policy: Policy, max_examples: int, seed: int, native: bool) -> Result:
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)  # a search makes many objects that few cycles hold: an eighth of the time
    with progress() as show:
        try:
            return check(policy, max_examples, seed, native, lambda what: show(f"{policy.name}: {what}"))
        except ToolError as error:
            raise ToolFailure(f"{error}\n--no-native checks with the interpreter alone") from None
        except ParamError as error:
            raise InvalidError(str(error)) from None
        except UnconfirmedError as error:
            raise CliError(str(error)) from None


def run_tests(given: str, policy: Policy, native: bool) -> list[Outcome]:
    with progress() as show:
        outcomes = []
        for number, test in enumerate(policy.tests, 1):
            show(f"{policy.name}: test {number} of {len(policy.tests)}")
            try:
                outcomes.append(Outcome(given, policy, test, run_test(policy, test, native)))
            except ToolError as error:
                raise ToolFailure(f"{error}\n--no-native checks with the interpreter alone") from None
        return outcomes


def end_with(policy: Policy, outcomes: list[Outcome], json_output: bool) -> NoReturn:
    """Report tests that fail, and end the command."""
    failed = [outcome for outcome in outcomes if outcome.failure is not None]
    if json_output:
        tests = [test_as_json(outcome) for outcome in outcomes]
        report = {"policy": policy.name, "path": policy.path, "ok": False, "tests": tests, "counterexample": None}
        click.echo(json.dumps(report, indent=2))
    else:
        lines = [describe_failure(outcome, outcome.failure) for outcome in failed if outcome.failure is not None]
        lines.append(f"{policy.name}: {len(failed)} of {len(outcomes)} test{'s'[: len(outcomes) != 1]} failed")
        click.echo(shown("\n".join(lines)))
    raise click.exceptions.Exit(EXIT_FAILURE)


def checked(native: bool) -> dict[str, str]:
    """The properties that the search checks."""
    return {name: meaning for name, meaning in PROPERTIES.items() if native or name != "native"}


def describe(policy: Policy, result: Result, seed: int, native: bool) -> str:
    tests = f"{len(policy.tests)} test{'s'[: len(policy.tests) != 1]}, " if policy.tests else ""
    runs = f"{result.examples} scenarios, {result.long_runs} long run{'s'[: result.long_runs != 1]}"
    tried = f"{tests}{runs} ({result.events:,} events, seed {seed})"
    if result.requests:
        tried += f" and {result.requests:,} requests in native code"
    if result.unreached:
        lines = [f"{policy.name}: {reach(result)}; no counterexample in {tried}"]
    else:
        lines = [f"{policy.name}: no counterexample in {tried}; {reach(result)}"]
    lines += [f"  {name:<12} {meaning}" for name, meaning in checked(native).items()]
    if not native:
        lines.append("note: native code was not looked at (--no-native)")
    if result.stopped_early:
        lines.append("note: stopped early: an event runs so many statements that less was tried; shorten its loops")
    if not policy.tests:
        lines.append(
            "note: it has no tests: a folio on a wrong list, or a wrong victim, breaks none of these; "
            "write a `test` that says which folios stay, or compare it: cpolc check A --against B"
        )
    if traits(policy).falls_back:
        lines.append("note: its doc comment says that it falls back, so that evict may propose nothing")
    return "\n".join(lines)


def reach(result: Result) -> str:
    """The statements that the search did not reach, as text."""
    if not result.unreached:
        return "every statement ran"
    where = ", ".join(places(result))
    return f"{len(result.unreached)} of {len(result.statements)} statements never ran (line {where})"


def places(result: Result) -> Iterator[str]:
    """The places of statements that never ran.

    A line is LINE or FIRST-LAST if nothing on it ran, and LINE:COLUMN if other statements on it
    ran.
    """
    ran = {(pos.file, pos.line) for pos in set(result.statements).difference(result.unreached)}
    whole = {(pos.file, pos.line): pos.prefix for pos in result.unreached if (pos.file, pos.line) not in ran}
    numbered = enumerate(sorted(whole))
    for _, group in groupby(numbered, key=lambda each: (each[1][0], each[1][1] - each[0])):
        first, *rest = (place for _, place in group)
        yield f"{whole[first]}{first[1]}" + (f"-{rest[-1][1]}" if rest else "")
    yield from (str(pos) for pos in result.unreached if (pos.file, pos.line) in ran)


def failure(found: Counterexample) -> str:
    return f"{as_text(found)}\nproperty broken: {found.property}: {PROPERTIES[found.property]}"


def replay_file(given: str, policy: Policy, path: Path, native: bool) -> Counterexample | None:
    try:
        return check_log(read(path), policy, path, native)
    except ToolError as error:
        raise ToolFailure(f"{error}\n--no-native replays with the interpreter alone") from None
    except DifferentError as error:
        where = f"cpolc step {quote(given)} {quote(str(path))}"
        raise InvalidError(
            f"{error}; the policy decides otherwise than in the log, so it has changed since it was recorded, or the "
            f"executors differ; `{where}` shows where; or record the log again"
        ) from None
    except (LogError, ReplayError) as error:
        raise InvalidError(str(error)) from None
    except MachineError as error:
        raise InvalidError("; ".join([str(error), *getattr(error, "__notes__", [])])) from None
    except OSError as error:
        raise InvalidError(f"cannot read {path}: {error.strerror}") from None


def save_log(found: Counterexample, path: Path) -> bool:
    """Whether the counterexample could be saved. If not, a note says why; it is printed all the same."""
    try:
        save(path, found.machine.header, found.machine.records)
    except OSError as error:
        say(f"the counterexample is not saved to {path}: {error.strerror}; name another file with --save", "note")
        return False
    return True
