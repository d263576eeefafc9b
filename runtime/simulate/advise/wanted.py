"""A described workload before and after: what the default reads, and what the policy does that it wants.

Policies that evict are judged by advice. Those that only read ahead run on the model of prefetching.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cpol.compiler.compiled import Compiled, compiled
from cpol.compiler.ir import RANGE_EVENTS, Policy
from cpol.compiler.policies import resolve
from cpol.runtime.machine.settings.assumed import NOTHING
from cpol.runtime.machine.settings.entries import settings_of
from cpol.runtime.machine.settings.inputs import Setting
from cpol.runtime.machine.settings.start import Start, make
from cpol.runtime.simulate.advise.advise import Advice
from cpol.runtime.simulate.advise.blocks import Blocks
from cpol.runtime.simulate.advise.choices import DEFAULTS
from cpol.runtime.simulate.prefetch.kernel import Vma
from cpol.runtime.simulate.prefetch.medium import Medium
from cpol.runtime.simulate.prefetch.model import Model
from cpol.runtime.simulate.prefetch.read import reads
from cpol.runtime.simulate.prefetch.rows import Rows
from cpol.runtime.simulate.runs.candidates import Candidate, Params
from cpol.runtime.simulate.runs.evict import Setup
from cpol.runtime.simulate.runs.prefetch import BANDWIDTH, LATENCY_NS, Contender, built_in, native
from cpol.runtime.simulate.runs.room import KERNEL_BATCH
from cpol.runtime.simulate.traces import Trace
from cpol.runtime.simulate.traces.workload import Workload

KEEP = "keep"
"""The advice of a workload that wants no policy."""

LIMIT = "limit"
"""The param of stdlib/quota."""


class Reads(NamedTuple):
    """What one run reads from the disk, in pages.

    `waits` counts requests that waited for the disk, and `waited_ns` is for how long; None: advice has no clock.
    `cached`: pages that are cached at the end; None: nobody asks.
    """

    policy: str
    pages: int
    waits: int | None = None
    waited_ns: int | None = None
    cached: int | None = None


class Pair(NamedTuple):
    """Before and after. `after` is None where the default is to be kept."""

    before: Reads
    after: Reads | None

    @property
    def share(self) -> float | None:
        """Disk reads of the policy, of those of the default."""
        return None if self.after is None else self.after.pages / max(1, self.before.pages)


def reads_ahead(workload: Workload) -> Compiled | None:
    """The policy that the workload wants, if all that it does is to read ahead."""
    if workload.advice == KEEP:
        return None
    made = compiled(resolve(workload.advice))
    return None if made.policy.evicts or made.policy.handlers.keys() & set(RANGE_EVENTS) else made


def of_advice(workload: Workload, found: Advice) -> Pair:
    """Both, by the advice on its trace: all requests, those that chose and those that judge."""
    before = found.default
    after = next((row for row in found.rows if row.choice.name == workload.advice), None)
    return Pair(
        Reads(before.choice.name, before.chosen_by + before.reads),
        None if after is None else Reads(after.choice.name, after.chosen_by + after.reads),
    )


def under_quota(workload: Workload, trace: Trace, quota: int) -> Pair:
    """Both, with the pages that each caches in the end. The policy caches no more than its quota."""
    blocks = Blocks.of(trace, None)
    made = []
    runs: tuple[tuple[str, Params], ...] = ((DEFAULTS[0], {}), (workload.advice, {LIMIT: quota}))
    for name, params in runs:
        policy = compiled(resolve(name))
        candidate = Candidate(name, policy, params, [], name, {})
        simulator = Setup(candidate, KERNEL_BATCH, workload.seed, NOTHING, False).simulator(trace, workload.memory)
        made.append(Reads(name, sum(blocks.reads(simulator)), cached=simulator.counts.size))
    before, after = made
    return Pair(before, after)


def on_model(workload: Workload, trace: Trace, wanted: Compiled) -> Pair:
    """Both, on the model of prefetching."""
    told = list(settings(workload, trace, wanted.policy))
    candidate = Candidate(workload.advice, wanted, {}, told, workload.advice, {})
    contenders = (built_in("default"), native(candidate, workload.seed, NOTHING))
    rows = Rows(reads(trace), trace.format, carries=trace.carries)
    before, after = (model_reads(each, rows, workload.memory) for each in contenders)
    return Pair(before, after)


def model_reads(contender: Contender, rows: Rows, memory: int) -> Reads:
    medium = Medium(LATENCY_NS, BANDWIDTH)
    total = Model(rows, memory, medium, contender.make(memory, rows), Vma()).run().total
    return Reads(contender.name, total.pages_read, total.missed + total.late, total.waited_ns)


def settings(workload: Workload, trace: Trace, policy: Policy) -> Iterator[Setting]:
    """What the policy is told: the files of the readers that the description marks, or what it touches of them."""
    paths = {path: number for number, path in (trace.paths or {}).items()}
    files = sorted({paths[each.file] for each in workload.readers if each.told})
    for declaration in policy.inputs:
        if declaration.key == "file":
            yield from ((declaration.name, str(file), "true") for file in files)
        elif declaration.key == "index":
            yield from settings_of(declaration, start_of(trace, {file: file for file in files}).entries)


def start_of(trace: Trace, files: dict[int, int]) -> Start:
    """The input of `replay`: the pages that a trace reads of these files. `files` gives each the number by which the
    policy knows it."""
    assert trace.names is not None
    touched: dict[int, set[int]] = {number: set() for number in files.values()}
    for id in set(trace.ids):
        if (file := trace.names.files[id]) in files:
            touched[files[file]].add(trace.names.indices[id])
    return make({file: sorted(pages) for file, pages in touched.items()})


def attaching(workload: Workload, policy: Policy) -> list[str]:
    """The commands that attach it, and tell it what the description marks."""
    told = [each for each in workload.readers if each.told]
    words = f"cpolc attach {policy.name} CGROUP"
    for declaration in policy.inputs:
        if declaration.key == "file":
            return [f"{words} --input {declaration.name}={','.join(dict.fromkeys(each.file for each in told))}"]
        if declaration.key == "index":
            made = f"cpolc record --replay {workload.name}.rec -o {workload.name}.start"
            record = f"cpolc record CGROUP -o {workload.name}.rec    # while the program starts"
            return [record, made, words, f"cpolc input CGROUP {declaration.name} load {workload.name}.start"]
    return [words]
