"""`cpolc test`: run the tests in policies."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import Any

import click

from cpol.cli.errors import EXIT_FAILURE, EXIT_USAGE, CliError
from cpol.cli.once import Once
from cpol.cli.policy import load
from cpol.compiler.ir import Policy, Test
from cpol.compiler.toolchain.process import ToolError
from cpol.errors import UserError
from cpol.printable import shown
from cpol.runtime.explore.check.policy_test import Failure, run_test


class TestError(CliError):
    """The tests cannot be run."""

    exit_code = EXIT_USAGE


@dataclass(frozen=True)
class Outcome:
    """A test of the policy that the command line calls `given`."""

    given: str
    policy: Policy
    test: Test
    failure: Failure | None

    @property
    def again(self) -> str:
        return f"cpolc test {shlex.quote(self.given)} --filter {self.test.name}"

    @property
    def step(self) -> str:
        return f"cpolc step {shlex.quote(self.given)} --test {self.test.name}"


@click.command(name="test", cls=Once)
@click.argument("policies", metavar="POLICY...", nargs=-1, required=True)
@click.option("--filter", "wanted", metavar="NAME", default="", help="Run only tests with NAME in their names.")
@click.option("--json", "json_output", is_flag=True, help="Print one JSON object.")
def command(policies: tuple[str, ...], wanted: str, json_output: bool) -> None:
    """Run the tests that stand in policies (`test NAME(capacity: …) { … }`).

    Each runs on the reference interpreter, and in step with it as native code, which has to agree on every decision.
    Exit code: 0 if all pass, 1 if one fails, 2 if there is an error.

    POLICY is the name of a stdlib policy (cpolc stdlib list) or a path to a .cpol file.
    """
    loaded = [(name, load_or_exit(name)) for name in policies]
    tests = [(name, policy, test) for name, policy in loaded for test in policy.tests if wanted in test.name]
    if wanted and not tests:
        known = ", ".join(test.name for _, policy in loaded for test in policy.tests) or "none"
        raise TestError(f"no test has {wanted!r} in its name; there is {known}")
    try:
        outcomes = [Outcome(name, policy, test, run_test(policy, test)) for name, policy, test in tests]
    except ToolError as reason:
        raise TestError(str(reason)) from None
    failed = [outcome for outcome in outcomes if outcome.failure is not None]
    if json_output:
        click.echo(json.dumps(as_json(loaded, outcomes), indent=2))
    else:
        for policy in (policy for _, policy in loaded):
            click.echo(shown(as_text(policy, [outcome for outcome in outcomes if outcome.policy is policy], wanted)))
    if failed:
        raise click.exceptions.Exit(EXIT_FAILURE)


def load_or_exit(name: str) -> Policy:
    """As `load`, but errors end the command with the exit code for tests that cannot be run."""
    try:
        return load(name)
    except UserError as reason:
        raise TestError(str(reason)) from None
    except click.exceptions.Exit:
        raise click.exceptions.Exit(EXIT_USAGE) from None


def as_text(policy: Policy, outcomes: list[Outcome], wanted: str) -> str:
    if not policy.tests:
        return f"{policy.name}: has no tests ({policy.path}); nothing was run"
    if not outcomes:
        return f"{policy.name}: has no test with {wanted!r} in its name"
    passed = sum(outcome.failure is None for outcome in outcomes)
    lines = [describe_failure(outcome, outcome.failure) for outcome in outcomes if outcome.failure is not None]
    what = f"{len(outcomes)} test{'s'[: len(outcomes) != 1]}"
    verdict = f"{what} passed" if passed == len(outcomes) else f"{len(outcomes) - passed} of {what} failed"
    return "\n".join([*lines, f"{policy.name}: {verdict}, by the interpreter and by native code"])


def describe_failure(outcome: Outcome, failure: Failure) -> str:
    where = f"{outcome.policy.path}:{failure.pos.line}:{failure.pos.column}"
    lines = [f"{where}: test {outcome.test.name} failed: {failure.message}"]
    if outcome.test.row:
        lines.append(f"    the case in line {outcome.test.pos.line} has {outcome.test.row}")
    lines += [f"    {part} = {value}" for part, value in failure.values]
    if failure.cache:
        lines += ["the cache then:", *(f"    {line}" for line in failure.cache)]
    return "\n".join([*lines, f"again: {outcome.again}", f"step by step: {outcome.step}\n"])


def as_json(loaded: list[tuple[str, Policy]], outcomes: list[Outcome]) -> dict[str, Any]:
    return {
        "ok": all(outcome.failure is None for outcome in outcomes),
        "policies": [
            {
                "policy": policy.name,
                "path": policy.path,
                "tests": [test_as_json(outcome) for outcome in outcomes if outcome.policy is policy],
            }
            for _, policy in loaded
        ],
    }


def test_as_json(outcome: Outcome) -> dict[str, Any]:
    failure = outcome.failure
    facts: dict[str, Any] = {"name": outcome.test.name, "line": outcome.test.pos.line, "ok": failure is None}
    if outcome.test.row:
        facts["row"] = outcome.test.row
    if failure is not None:
        facts["failure"] = {
            "line": failure.pos.line,
            "column": failure.pos.column,
            "message": failure.message,
            "values": dict(failure.values),
            "cache": failure.cache,
            "again": outcome.again,
        }
    return facts
