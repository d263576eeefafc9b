"""`cpolc lint`: what compiles without a warning, and is likely not meant so."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from cpol.cli.diagnostics import fix_facts, show, span_facts
from cpol.cli.errors import EXIT_FAILURE, CliError, use_colour
from cpol.cli.messages import say
from cpol.cli.once import Once
from cpol.cli.policy import named
from cpol.cli.sources import STDIN, regular_file, standard_input
from cpol.compiler.analysis.profile import Profile
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.diagnostics.render import render
from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.run import lint, mended
from cpol.compiler.lint.sarif import sarif
from cpol.compiler.stages import run
from cpol.compiler.toolchain.files import rewrite
from cpol.kernel import profiles


@click.command(name="lint", cls=Once)
@click.argument("policies", nargs=-1, required=True, metavar="POLICY...|-")
@click.option("--fix", is_flag=True, help="Mend what can be mended without a change of decisions, and show the rest.")
@click.option(
    "--profile",
    multiple=True,
    metavar="NAME",
    help=f"A kernel that the policies should run on (may be repeated).  [default: {' and '.join(profiles.USUAL)}]",
)
@click.option("--json", "json_output", is_flag=True, help="Write findings and errors as JSON, one object a line.")
@click.option("--sarif", "sarif_output", is_flag=True, help="Write a SARIF 2.1.0 log, with what comments silence, too.")
def command(
    policies: tuple[str, ...], fix: bool, profile: tuple[str, ...], json_output: bool, sarif_output: bool
) -> None:
    """Look for what compiles, and is likely not meant so: no test, a state that nothing assigns to,
    a sample that grows with the cache. docs/lint.md has the rules, and `cpolc explain CODE` one.

    The compiler's warnings are among the findings. A comment silences a rule on its line, or on the
    next: `// lint: allow L0101 because REASON`. `-` reads standard input; with --fix it writes the
    text to standard output, and findings to standard error. Exit code: 1 if anything is found.
    """
    if json_output and sarif_output:
        raise click.UsageError("--json and --sarif are two formats; give one")
    if fix and sarif_output and STDIN in policies:
        raise click.UsageError("--fix of `-` writes the text where --sarif would write its log; give one")
    run_on = [profiles.load(name) for name in profile or profiles.USUAL]
    found = list[Finding]()
    for path in [STDIN if name == STDIN else str(named(name)) for name in policies]:
        try:
            found += lint_one(path, run_on, fix)
        except CompileError as error:
            if not sarif_output:
                show(error.diagnostics)
            found += map(Finding, error.diagnostics)
    told = [each for each in found if not each.reason]
    if sarif_output:
        click.echo(json.dumps(sarif(found), indent=2))
    else:
        shown = [each for each in told if each.code[0] != "E"]
        write(shown, json_output, err=fix and STDIN in policies)
    if told:
        raise click.exceptions.Exit(EXIT_FAILURE)


def lint_one(path: str, kernels: Sequence[Profile], fix: bool) -> list[Finding]:
    """What is found in a policy, which is mended first if `fix` is set.

    Raises:
        CompileError: it has errors.
    """
    name = "<stdin>" if path == STDIN else path
    text = standard_input() if path == STDIN else regular_file(path)
    if fix:
        text = write_mended(path, name, text, kernels)
    compiled = run(text, name)
    return [*map(Finding, compiled.warnings), *lint(compiled, kernels)]


def write_mended(path: str, name: str, text: str, kernels: Sequence[Profile]) -> str:
    """Mend a text, and write it where it came from. Returns what stands there now. `name` is for messages."""
    new, count = mended(text, name, kernels)
    if path == STDIN:
        click.echo(new, nl=False)
    elif count:
        try:
            rewrite(Path(path).resolve(strict=True), new.encode())  # links and permissions stay
        except OSError as error:
            CliError(f"cannot write {path}: {error.strerror}").show()
            return text
        say(f"{path}: {count} mended")
    return new


def write(findings: Sequence[Finding], json_output: bool, err: bool) -> None:
    """Print findings as text, with an empty line between them, or as JSON, one object a line."""
    for number, finding in enumerate(findings):
        if json_output:
            click.echo(json.dumps(as_json(finding)), err=err)
        else:
            colour = use_colour(sys.stderr if err else sys.stdout)
            click.echo(("\n" if number else "") + render(finding.diagnostic, colour), err=err)


def as_json(finding: Finding) -> dict[str, object]:
    """The keys of a diagnostic, and the edits that mend it (docs/lint.md)."""
    found = finding.diagnostic
    return {
        "severity": found.severity.value,
        "code": found.code,
        "message": found.message,
        "spans": [span_facts(found.source, found.span, found.label, primary=True)],
        "why": found.why or None,
        "help": found.help or None,
        "fix": fix_facts(found.source, finding.offered),
    }
