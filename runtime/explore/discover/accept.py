"""The checks that a found policy must pass: those of `cpolc check`, and those of a kernel's profile."""

from __future__ import annotations

from collections.abc import Callable

from cpol.compiler.analysis.profile import Profile
from cpol.compiler.compiled import Compiled, compiled_text
from cpol.compiler.diagnostics import CompileError
from cpol.runtime.explore.check import UnconfirmedError, check
from cpol.runtime.explore.discover.cost import report_for
from cpol.runtime.explore.discover.genome import Genome, apply, tidy
from cpol.runtime.explore.discover.tree import Tree
from cpol.runtime.machine.interp import ParamError

EXAMPLES = 200
"""Scenarios, as `cpolc check` tries."""


def refused(made: Compiled, profile: Profile, seed: int, show: Callable[[str], None]) -> str | None:
    """Why a policy is not acceptable; None: it is."""
    report = report_for(made.policy, {}, profile)
    if report is None:
        return f"{profile.name} cannot carry it"
    if report.verdict.fits == "unknown":
        return report.verdict.text(profile.name)
    try:
        result = check(made.policy, EXAMPLES, seed, tried=show)
    except (ParamError, UnconfirmedError) as error:
        return str(error)
    if result.counterexample is not None:
        return f"{result.counterexample.property}: {result.counterexample.message}"
    return None


def with_last_resort(genome: Genome) -> Genome:
    """The genome with a scan of each list at the end of `evict`, so that it always finds something."""
    tree = Tree(genome.text)
    scans = " ".join(f"scan {each} from head as f {{ evict f }}" for each in tree.lists)
    change = tree.in_handler("evict", scans)
    return genome._replace(text=apply(genome.text, [change])) if change and scans else genome


def with_invariant(genome: Genome, name: str) -> str:
    """The text in the one layout; with the invariant that each cached page is on one of its lists, if it compiles."""
    tree = Tree(genome.text)
    plain = tidy(genome.text, name)
    if not tree.lists or "leave " in genome.text or "[" in genome.text.partition("folio")[0]:
        return plain
    total = " + ".join(f"{each}.size" for each in tree.lists)
    text = tidy(apply(genome.text, [tree.at_end(tree.policy, f"invariant {total} == cache.size\n")]), name)
    try:
        compiled_text(text, f"{name}.cpol")
    except CompileError:
        return plain
    return text
