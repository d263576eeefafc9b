"""Generations: children of the candidates that miss least.

A child has a random source of its own, by the seed and its number, and sees only the generation before it. So the
result does not depend on how many processors there are.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import partial
from typing import NamedTuple

from cpol.compiler.analysis.profile import Profile
from cpol.compiler.compiled import Compiled
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.ir import ParamDecl
from cpol.runtime.explore.discover.cost import cost_of
from cpol.runtime.explore.discover.crossover import graft
from cpol.runtime.explore.discover.evaluate import Candidate, Evaluator, fingerprint
from cpol.runtime.explore.discover.genome import Genome, apply
from cpol.runtime.explore.discover.operators import mutate
from cpol.runtime.explore.discover.population import Population
from cpol.runtime.explore.discover.tree import tree_of
from cpol.runtime.simulate.runs.jobs import Task, completed

CHILDREN = 16
"""Of a generation."""

TRIES = 20
"""Texts until one compiles, and is none that was there before."""

TUNINGS = 6
"""Settings of params that a promising child tries."""

SLACK = 0.05
"""A candidate that misses more than the last that breeds, by such a share of it, does not run on longer traces."""

GRAFTS = 0.25
"""Children that have handlers of two parents."""

STEPS_KEPT = 12
"""Of how a candidate came about."""


class Child(NamedTuple):
    """What a task found. `print`: the fingerprint of what was compiled; `runs`: settings that ran."""

    candidate: Candidate | None
    print: bytes | None
    runs: int


class Evolution:
    """A search that goes on for as long as `generation` is called."""

    def __init__(self, evaluator: Evaluator, profile: Profile, seed: int, jobs: int) -> None:
        self.evaluator, self.profile, self.seed, self.jobs = evaluator, profile, seed, jobs
        self.population = Population()
        self.seen: set[bytes] = set()
        self.generations = 0
        self.candidates = 0
        self.runs = 0

    def begin(self, genomes: Sequence[Genome], show: Callable[[str], None]) -> None:
        """Run the policies that all others come from."""
        tasks = [Task(next(iter(sorted(each.origin))), partial(self._first, each)) for each in genomes]
        self._take(tasks, show)

    def generation(self, show: Callable[[str], None], most: int = CHILDREN) -> None:
        """Make children, and let the fittest stay."""
        best = self.population.members[0].score
        self.generations += 1
        name = f"generation {self.generations}, {self.candidates} candidates, {best:.4f} of LRU's misses"
        tasks = [Task(name, partial(self._child, self.generations, number)) for number in range(min(most, CHILDREN))]
        self._take(tasks, show)

    def _take(self, tasks: Sequence[Task[Child]], show: Callable[[str], None]) -> None:
        found: dict[int, Child] = {}
        with closing(completed(tasks, self.jobs, lambda _: show(tasks[0].name))) as ended:
            found.update(ended)
        children = [found[number] for number in range(len(tasks))]
        new: list[Candidate] = []
        for child in children:
            self.runs += child.runs
            self.candidates += child.print is not None
            if child.print is not None and child.print not in self.seen:
                self.seen.add(child.print)
                new += [child.candidate] if child.candidate else []
        self.population.add(new)
        self._price(show)

    def _price(self, show: Callable[[str], None]) -> None:
        """Find out what each member of the front costs. To find out takes as long as some runs."""
        while unknown := [each for each in self.population.front if each.cost is None]:
            tasks = [Task("costs", partial(self._cost, each)) for each in unknown]
            with closing(completed(tasks, self.jobs, show)) as ended:
                costs = dict(ended)
            self.population.priced([(unknown[number], costs[number]) for number in range(len(unknown))])

    def _cost(self, candidate: Candidate) -> float | None:
        with self.evaluator.compiling:  # the interpreter and the analyses are Python, too
            return cost_of(candidate.made.policy, candidate.genome.values, self.profile)

    def _first(self, genome: Genome) -> Child:
        with self.evaluator.compiling:
            made = self.evaluator.compile(genome)
        if made is None:
            return Child(None, None, 0)
        return Child(self.evaluator.run(genome, made), fingerprint(made), 1)

    def _child(self, generation: int, number: int) -> Child:
        source = random.Random(f"{self.seed} {generation} {number}")
        made = None
        with self.evaluator.compiling:
            for _ in range(TRIES):
                genome = self._bred(source)
                made = self.evaluator.compile(genome) if genome else None
                if made and fingerprint(made) not in self.seen:
                    break
            else:
                return Child(None, None, 0)
        assert genome and made
        found = self.evaluator.run(genome, made, beside=self.population.members[-1], slack=SLACK)
        if found is None or found.score > self.population.members[len(self.population.members) // 2].score:
            return Child(found, fingerprint(made), 1)
        best, runs = self._tuned(found, made, source)
        return Child(best, fingerprint(made), 1 + runs)

    def _bred(self, source: random.Random) -> Genome | None:
        """A new text; None: the parent has no place for the mutation that was drawn, or it is no policy."""
        parent = self.population.pick(source).genome
        text, steps, origin, params = parent.text, list(parent.steps), parent.origin, dict(parent.params)
        try:
            if source.random() < GRAFTS:
                other = self.population.members[source.randrange(len(self.population.members))].genome
                grafted = graft(tree_of(text), tree_of(other.text), source)
                if grafted is None:
                    return None
                text, origin, params = grafted, origin | other.origin, dict(other.params) | params
                steps.append(f"handlers of {'+'.join(sorted(other.origin))}")
            for _ in range(source.choice((0, 1)) if text != parent.text else source.choice((1, 1, 1, 2, 3))):
                mutated = mutate(tree_of(text), source)
                if mutated is None:
                    return None
                steps.append(mutated[0])
                text = apply(text, mutated[1])
        except CompileError:  # the first of two mutations broke the syntax
            return None
        return Genome(text, tuple(params.items()), origin, tuple(steps[-STEPS_KEPT:]))

    def _tuned(self, found: Candidate, made: Compiled, source: random.Random) -> tuple[Candidate, int]:
        """The best of some settings, and how many ran."""
        ranges = [each for each in made.policy.params if each.low < each.high]
        for _ in range(TUNINGS if ranges else 0):
            param = source.choice(ranges)
            values = dict(found.genome.params)
            old = values.get(param.name, param.default)
            values[param.name] = another(param, old, source)
            if values[param.name] != old:
                params = tuple(sorted(values.items()))
                other = self.evaluator.run(found.genome._replace(params=params), made, beside=found, slack=SLACK / 10)
                found = other if other and other.fitness < found.fitness else found
        return found, TUNINGS if ranges else 0


def another(param: ParamDecl, value: int, source: random.Random) -> int:
    """Another value of a param, most often near the old one."""
    match source.randrange(5):
        case 0:
            new = source.randint(param.low, param.high)
        case 1:
            new = value + source.choice((-1, 1))
        case 2:
            new = round(max(param.low, 1) * (max(param.high, 1) / max(param.low, 1)) ** source.random())
        case _:
            new = round(value * source.choice((0.5, 0.7, 0.9, 1.1, 1.4, 2.0)))
    return min(max(new, param.low), param.high)


def starts(texts: Iterable[tuple[str, str]]) -> list[Genome]:
    """The genomes of policies of the standard library, by name and bare text."""
    return [Genome(text, (), frozenset((name,)), ()) for name, text in texts]
