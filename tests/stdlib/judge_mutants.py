"""Runs `cpolc test` and `cpolc check` on mutants of stdlib policies, and tells which of them they find.

tests/stdlib/run-mutants [--seed N] [--count 50] [--policy NAME …] [--all] [--both] [--jobs N]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace

from policy_mutants import KINDS, STDLIB, Mutant, compiled, differs, mutants, pick

from cpol.compiler import ir
from cpol.runtime.explore.check import check
from cpol.runtime.explore.check.policy_test import run_test
from cpol.runtime.machine.events import Op, Row
from cpol.runtime.machine.interp import EVICTED

MOST_EVENTS = 12
"""Events of a script that a person reads at a glance."""

GOAL = 0.9
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in STDLIB}


@dataclass(frozen=True)
class Verdict:
    """What the two commands say of a mutant: the events of the shortest script that shows it; None: not found."""

    mutant: Mutant
    by_test: int | None
    by_check: int | None
    broken: str = ""
    """The property that the search found broken."""
    unreached: int = 0
    """Statements that never ran in the search. This is a hint to the author, but does not count as found."""

    @property
    def events(self) -> int | None:
        return min((events for events in (self.by_test, self.by_check) if events is not None), default=None)

    @property
    def good(self) -> bool:
        return self.events is not None and self.events <= MOST_EVENTS


def judge(mutant: Mutant, both: bool = True) -> Verdict:
    """Run the tests of a mutant, then the search with its default settings.

    Args:
        both: whether to search even if a test has found the mutant with few events.
    """
    policy = compiled(mutant.apply(TEXTS[mutant.policy]), mutant.policy)
    assert policy is not None
    verdict = Verdict(
        mutant, min((size for test in policy.tests if (size := failing(policy, test))), default=None), None
    )
    if verdict.good and not both:
        return verdict
    found = check(policy)
    if found.counterexample is None:
        return replace(verdict, unreached=len(found.unreached))
    return replace(verdict, by_check=steps(found.counterexample.machine.records), broken=found.counterexample.property)


def steps(rows: list[Row]) -> int:
    """The events of a script that leads to these rows of a log: what a miss causes belongs to it."""
    count = 0
    inside = False  # a miss, from `missed` up to `added`, or to a refused admission
    before: Op | None = None  # the last event
    for row in rows:
        op = Op(row.op)
        if op.is_decision:
            inside = inside and op != Op.REFUSE
            continue
        of_a_miss = (inside and op in (Op.ADMIT, Op.EVICT, Op.ADDED)) or (op, before) == (Op.FIRST_ACCESSED, Op.ADDED)
        of_an_evict = op in (Op.REFUSED, Op.FALLBACK) or (op == Op.REMOVED and row.a == EVICTED)
        count += not (of_a_miss or of_an_evict)
        inside = op == Op.MISSED or (inside and op != Op.ADDED)
        before = op
    return count


def failing(policy: ir.Policy, test: ir.Test) -> int | None:
    """The events of a test up to where it fails; None: it passes."""
    failure = run_test(policy, test)
    if failure is None:
        return None
    done = [step for step in test.steps if (step.pos.line, step.pos.column) <= (failure.pos.line, failure.pos.column)]
    return sum(
        len(step.folios) if isinstance(step, ir.Access | ir.Remove) else not isinstance(step, ir.Expect)
        for step in done
    )


def all_of(names: Iterable[str]) -> list[Mutant]:
    """All mutants that count, of some policies."""
    paths = [path for path in STDLIB if path.stem in names]
    return [mutant for path in paths for mutant in mutants(path) if differs(mutant, TEXTS[path.stem])]


def table(title: str, verdicts: list[Verdict], key: Callable[[Verdict], str]) -> Iterable[str]:
    """Counts of verdicts by a key, as a table."""
    groups = {name: [each for each in verdicts if key(each) == name] for name in dict.fromkeys(map(key, verdicts))}
    yield f"| {title} | mutants | found | in at most {MOST_EVENTS} events | by `test` | by `check` | longest script |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for name, group in [*groups.items(), ("all", verdicts)]:
        counts = Counter[str]()
        for each in group:
            counts += Counter(
                found=each.events is not None,
                good=each.good,
                test=each.by_test is not None,
                check=each.by_check is not None,
            )
        longest = max((each.events for each in group if each.events is not None), default="")
        cells = (name, len(group), *(counts[what] for what in ("found", "good", "test", "check")), longest)
        yield f"| {' | '.join(map(str, cells))} |"


def describe(verdict: Verdict) -> str:
    parts = [f"`cpolc test`: {verdict.by_test} events"] if verdict.by_test is not None else []
    if verdict.by_check is not None:
        parts.append(f"`cpolc check`: {verdict.broken}, {verdict.by_check} events")
    hint = f" ({verdict.unreached} statements never ran)" if verdict.unreached else ""
    return f"{verdict.mutant}: {'; '.join(parts) or f'NOT FOUND{hint}'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="selects the mutants (0)")
    parser.add_argument("--count", type=int, default=50, help="how many (50)")
    parser.add_argument("--policy", nargs="*", default=[path.stem for path in STDLIB], help="of these policies (all)")
    parser.add_argument("--all", action="store_true", help="all mutants that count")
    parser.add_argument("--both", action="store_true", help="search also where a short test finds the mutant; slow")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    given = parser.parse_args()
    start = time.monotonic()
    verdicts: list[Verdict] = []
    with ProcessPoolExecutor(given.jobs) as pool:
        if given.all:
            chosen = [mutant for part in pool.map(all_of, ([name] for name in given.policy)) for mutant in part]
        else:
            chosen = list(pick(given.count, given.seed, [path for path in STDLIB if path.stem in given.policy]))
        for verdict in pool.map(judge, chosen, [given.both] * len(chosen)):
            verdicts.append(verdict)
            print(describe(verdict), flush=True)
    print("", *table("kind", sorted(verdicts, key=lambda each: list(KINDS).index(each.mutant.kind)), kind), sep="\n")
    print("", *table("policy", sorted(verdicts, key=policy), policy), sep="\n")
    good = sum(verdict.good for verdict in verdicts)
    share = good / max(1, len(verdicts))
    print(f"\n{good} of {len(verdicts)} found in at most {MOST_EVENTS} events ({share:.0%}), ", end="")
    print(f"{'all' if given.all else f'seed {given.seed}'}; {time.monotonic() - start:.0f} s")
    sys.exit(share < GOAL)


def kind(verdict: Verdict) -> str:
    return verdict.mutant.kind


def policy(verdict: Verdict) -> str:
    return verdict.mutant.policy


if __name__ == "__main__":
    main()
