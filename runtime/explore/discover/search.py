"""The search as a whole: it evolves, makes the best short, checks it, and judges it by held-out traces."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from cpol.compiler.analysis.profile import Profile
from cpol.compiler.compiled import Compiled, compiled, compiled_text
from cpol.compiler.policies import resolve, stdlib_names
from cpol.errors import UserError
from cpol.runtime.explore.discover.accept import refused, with_invariant, with_last_resort
from cpol.runtime.explore.discover.evaluate import Candidate, Evaluator, cases_of
from cpol.runtime.explore.discover.evolve import Evolution, starts
from cpol.runtime.explore.discover.genome import bare
from cpol.runtime.explore.discover.judge import Held, Judged, judge
from cpol.runtime.explore.discover.prune import pruned, settled
from cpol.runtime.simulate.advise.blocks import BLOCKS
from cpol.runtime.simulate.runs.curve import Sampling
from cpol.runtime.simulate.traces import Trace

REFUSALS = 8
"""Candidates that may break a property, one after another, before the search has found nothing."""


class Given(NamedTuple):
    """A trace, the capacities that are asked for in pages, and how many pages an eviction frees."""

    path: Path
    trace: Trace
    capacities: Sequence[int]
    batch: int

    @property
    def name(self) -> str:
        return self.path.name

    def told(self) -> str:
        """What the file says of it."""
        pages = " and ".join(f"{each:,}" for each in self.capacities)
        with self.path.open("rb") as file:
            hashed = hashlib.file_digest(file, "sha256").hexdigest()[:16]
        return f"{self.name} (sha256 {hashed}…, {self.trace.requests:,} requests), {pages} pages"


class Settings(NamedTuple):
    """What the search is asked for. `budget`: candidates that are compiled at least, in whole generations."""

    name: str
    profile: Profile
    sampling: Sampling | None
    seed: int
    budget: int
    jobs: int


class Discovered(NamedTuple):
    """What was found. `text` is the policy without its comment, `front` what else is best in some way."""

    text: str
    made: Compiled
    candidate: Candidate
    start: Candidate
    front: list[Candidate]
    judged: Judged
    candidates: int
    generations: int
    interrupted: KeyboardInterrupt | None


class Accepted(NamedTuple):
    """A candidate as the text of a file, and compiled. `stopped`: what ended the search or what makes it short."""

    text: str
    made: Compiled
    candidate: Candidate
    stopped: KeyboardInterrupt | None = None


def library() -> dict[str, Compiled]:
    """The policies of the standard library that evict, and that nobody has to tell anything."""
    found = {name: compiled(resolve(name)) for name in stdlib_names()}
    return {name: made for name, made in found.items() if made.policy.evicts and not made.policy.inputs}


def halves(trained: Sequence[Given]) -> tuple[list[Given], list[Held]]:
    """The first half of each trace, to train by, and the second, to judge by: it goes on where the first ended."""
    first, second = [], []
    for each in trained:
        stop = each.trace.position(each.trace.requests * (BLOCKS // 2) // BLOCKS)
        first.append(each._replace(trace=each.trace.part(0, stop)))
        second += held([each], BLOCKS // 2)
    return first, second


def held(given: Sequence[Given], first: int = 0) -> list[Held]:
    """The cases of held-out traces."""
    return [
        Held(f"{each.name} {pages:,}", each.trace, pages, each.batch, first)
        for each in given
        for pages in each.capacities
    ]


def discover(
    trained: Sequence[Given],
    cases: Sequence[Held],
    settings: Settings,
    show: Callable[[str], None],
    note: Callable[[str], None],
) -> Discovered:
    """Search by some traces, and judge by others.

    Ctrl-C ends the search early; what follows takes some seconds.

    Raises:
        UserError: no candidate misses less than the policies that it began with, or none passes the checks.
        ToolError: there is no C compiler.
    """
    ours = library()
    rows = [(each.name, each.trace, each.capacities, each.batch) for each in trained]
    training = cases_of(rows, settings.sampling, settings.seed)
    evaluator = Evaluator(training, settings.name, settings.seed)
    evolution = Evolution(evaluator, settings.profile, settings.seed, settings.jobs)
    texts = [(name, bare(made.source.text, settings.name)) for name, made in ours.items()]
    evolution.begin(starts(texts), show)
    if not evolution.population.members:
        raise UserError("no policy of the standard library runs on these traces, so there is nothing to begin with")
    start = evolution.population.members[0]
    stopped = _evolve(evolution, settings.budget, show)
    text, made, candidate, ended = _accepted(evolution, start, ours, settings, stopped, show, note)
    show("")
    judged = judge(made, settings.name, ours, cases, settings.seed, settings.jobs, show)
    front = evolution.population.front
    counts = (evolution.candidates, evolution.generations)
    return Discovered(text, made, candidate, start, front, judged, *counts, ended)


def _origin(candidate: Candidate) -> str:
    return ", ".join(sorted(candidate.genome.origin))


def _evolve(evolution: Evolution, budget: int, show: Callable[[str], None]) -> KeyboardInterrupt | None:
    """Whole generations, so that a budget of what there was until Ctrl-C repeats them. Returns what ended it early."""
    try:
        while evolution.candidates < budget:
            evolution.generation(show)
    except KeyboardInterrupt as signalled:
        return signalled
    return None


def _accepted(
    evolution: Evolution,
    start: Candidate,
    ours: Mapping[str, Compiled],
    settings: Settings,
    stopped: KeyboardInterrupt | None,
    show: Callable[[str], None],
    note: Callable[[str], None],
) -> Accepted:
    """The fittest that passes all checks, made short."""
    known = frozenset(param.name for made in ours.values() for param in made.policy.params)
    evaluator = evolution.evaluator
    for each in evolution.population.members[:REFUSALS]:
        if each.score >= start.score:
            raise UserError(
                f"none of {evolution.candidates:,} candidates misses less on these traces than {_origin(start)}, which "
                "is in the standard library; try more with --budget, or another --seed"
            )
        plain = settled(each, evaluator, known)
        found = _checked(plain, settings, show)
        if isinstance(found, str) and (safe := _safe(plain, evaluator)):
            plain, found = safe, _checked(safe, settings, show)
        if isinstance(found, str):
            note(f"a candidate with {each.score:.4f} of LRU's misses is left out: {found}")
            continue
        if stopped:
            return found._replace(stopped=stopped)
        try:
            return _shortest(found, pruned(plain, evaluator, settings.jobs, show), settings, show)
        except KeyboardInterrupt as signalled:
            return found._replace(stopped=signalled)
    raise UserError("the best candidates break properties (cpolc check), or fit no kernel; try another --seed")


def _safe(candidate: Candidate, evaluator: Evaluator) -> Candidate | None:
    """The same with last resorts, of which `prune` drops what nobody needs; None: it misses more then."""
    genome = with_last_resort(candidate.genome)
    with evaluator.compiling:
        made = evaluator.compile(genome)
    return evaluator.run(genome, made, candidate.misses) if made else None


def _shortest(
    found: Accepted, shorter: Sequence[Candidate], settings: Settings, show: Callable[[str], None]
) -> Accepted:
    """The shortest that passes the checks, by bisection: what no trace needs, such as a last resort, a check may."""
    low, high = 0, len(shorter) - 1
    while low < high:
        middle = (low + high + 1) // 2 if high < len(shorter) - 1 else high
        each = _checked(shorter[middle], settings, show)
        if isinstance(each, str):
            high = middle - 1
        else:
            low, found = middle, each
    return found


def _checked(candidate: Candidate, settings: Settings, show: Callable[[str], None]) -> Accepted | str:
    """A candidate that passes all checks, or why it does not."""
    text = with_invariant(candidate.genome, settings.name)
    made = compiled_text(text, f"{settings.name}.cpol")
    why = refused(made, settings.profile, settings.seed, show)
    return Accepted(text, made, candidate) if why is None else why
