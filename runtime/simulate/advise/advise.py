"""Which policy to take: chosen on the first half of a trace, judged on the second."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

from cpol.compiler.compiled import Compiled
from cpol.errors import RequestError
from cpol.runtime.simulate.advise.ahead import Able, Ahead, Prefetching, able, heard, prefetching
from cpol.runtime.simulate.advise.asked import Asked
from cpol.runtime.simulate.advise.blocks import Blocks
from cpol.runtime.simulate.advise.choices import DEFAULTS, NO_OWN, Choice, Left, Runs, choices
from cpol.runtime.simulate.advise.interval import Interval, interval
from cpol.runtime.simulate.advise.played import Played, can_play, played
from cpol.runtime.simulate.advise.proposals import Suggestion, proposals, suggestions
from cpol.runtime.simulate.advise.search import search
from cpol.runtime.simulate.advise.seen import Seen, seen
from cpol.runtime.simulate.runs.jobs import Task
from cpol.runtime.simulate.runs.room import FAR, OTHER_ROOMS, SHARE, Followed
from cpol.runtime.simulate.traces import Trace
from cpol.runtime.simulate.traces.formats.record import REQUEST

GAIN = 0.03
"""A policy that saves a smaller share of the disk reads is not worth a change."""

LEAST_READS = 400
"""Disk reads of the half that judges; with fewer, any share of them is chance."""

OFF = 0.1
"""If the model of the default differs from the machine by a larger share, no policy is advised."""

UNSEEN = 0.5
"""If nobody was seen to use a larger share of the pages that were read, no policy is advised."""

TUNED = 3
"""Policies whose params are tuned: those that read least in the first half."""

BETTER = 0.005
"""Tuned params must save so large a share of the disk reads of the half that chooses."""

FIRST = 8
"""Policies that run with less room, too."""

PLAYED = 3
"""Policies that run with readahead played anew, too."""

PERCENTS = (*range(50, 100, 5), *range(100, 200, 5), *range(200, 410, 10))
"""Capacities at which the default is compared, in percent of the present one."""

PHASES = 1.5
"""Halves of a trace whose disk reads for each request differ by more are two phases."""

SHORT = 60
"""Seconds; a shorter recording may have seen one phase only."""

Kind = Literal["try", "keep", "longer", "withheld"]


class Row(NamedTuple):
    """A choice, its disk reads in the half that chose and in the half that judges, and these as a share of the
    default's. `less` are those of the half that judges with a little less room; None: nobody asked."""

    choice: Choice
    chosen_by: int
    reads: int
    against: Interval
    less: int | None = None
    played: Played | None = None
    """With the kernel's readahead played anew; None: it was not run so."""

    @property
    def far_played(self) -> bool:
        """Whether readahead that goes another way changes the disk reads by more than one of FAR."""
        return self.played is not None and abs(self.played.reads - self.reads) * FAR > self.reads

    @property
    def hangs_on_room(self) -> bool:
        """Whether they change by more than one of FAR with so little less room."""
        return self.less is not None and abs(self.less - self.reads) * FAR > self.reads


class Doubt(NamedTuple):
    """A reason why the numbers may not be the machine's; `name` is for JSON."""

    name: str
    text: str


class Advice(NamedTuple):
    """What was found. Disk reads are those of the half that judges."""

    kind: Kind
    verdict: str
    recorded: int | None
    """Disk reads of the machine; None: the trace does not tell."""
    default: Row
    rows: list[Row]
    """Other policies, that with the fewest disk reads in the half that chose first."""
    optimum: int | None
    """Of Belady's MIN; None: the trace has writes, which it would count, too."""
    memory: int | None
    """Percent of the present capacity that the default needs for what the first row reads; None: more than 400, or
    there is no reason to ask."""
    doubts: list[Doubt]
    prefetching: Prefetching | None
    """Policies that prefetch, on the whole recording; None: it is no recording, or has another memory than this."""
    left: list[Left]
    suggested: list[Suggestion]
    seen: Seen
    pages: int
    requests: int
    """Of the half that judges."""

    @property
    def best(self) -> Row:
        return self.rows[0]

    @property
    def off(self) -> float | None:
        """How far the model of the default is off, as a share of what the machine read."""
        return None if not self.recorded else self.default.reads / self.recorded - 1


class Request(NamedTuple):
    """What is asked. `pages` is the capacity if it follows no room; `trials` is how many settings are tried of each
    policy that is tuned, 0: none."""

    trace: Trace
    room: Followed | None
    pages: int
    batch: int
    seed: int
    jobs: int
    trials: int
    policies: Sequence[str] = ()
    """Those that are judged, of the stdlib or by path; none: all of the stdlib."""
    own: Mapping[str, Compiled] = NO_OWN
    """Those of these names that are in no file."""


def advise(request: Request, show: Callable[[str], None]) -> Advice:
    """Run all, and judge.

    Raises:
        RequestError: none of the policies that are asked for can be judged.
        ToolError, SimulationError: a policy cannot be compiled, or run.
    """
    trace = request.trace
    blocks = Blocks.of(trace, request.room)
    half = blocks.half
    show("looking at who reads what")
    found = seen(trace)
    first = trace.part(0, blocks.ends[half - 1])
    proposed = [*proposals(trace, first, seen(first), found, request.pages)]
    some, left = choices(trace.carries, proposed, request.policies, request.own)
    runs = Runs(blocks, request.pages, request.batch, request.seed, request.jobs)
    reads = runs.all(some, show)
    machine = blocks.recorded()
    recorded = machine if request.room else None  # with other memory, it says nothing of the model
    default = model(some, reads, recorded, half)
    ranked = sorted(zip(some, reads, strict=True), key=lambda each: sum(each[1][:half]))
    asked = request.policies or [choice.name for choice, _ in ranked]
    others = [(choice, each) for choice, each in ranked if choice is not default and choice.name in asked]
    if not others:
        raise RequestError(nothing_left(left), "--policy")
    if request.trials:
        others = tune(runs, others, request.trials, show)
    theirs = next(each for choice, each in ranked if choice is default)
    judged = partial(row, theirs=theirs, half=half, seed=request.seed)
    base, *rows = with_less(runs, [judged(default, theirs), *(judged(*each) for each in others)], half, show)
    told = None if recorded is None else sum(recorded[half:]) + sum(blocks.unread()[half:])
    start = blocks.ends[half - 1]
    requested = trace.requests - (start if trace.ahead is None else trace.ahead.count(REQUEST, 0, start))
    requests = heard(trace) if request.room else None
    if isinstance(requests, Asked):
        base, *rows = with_readahead(requests, trace.requests - requested, [base, *rows], request, show)
    kind, verdict = unseen(machine, blocks.unread()) or decide(rows, base, told)
    optimum = None
    if not any(trace.writes or ()):
        most = request.room.most if request.room else request.pages
        optimum = trace.belady_misses(most, trace.requests - requested) + sum(blocks.unread()[half:])
    memory = enough(runs, default, rows[0].reads, half, show) if kind == "try" else None
    doubts = [*doubts_of(trace, blocks, machine, recorded, theirs), *on_room(rows[0]), *on_readahead(rows[0])]
    policies = able(request.policies, proposed, request.own)
    ahead = prefetching(requests, policies, show)
    if kind != "try" and (best := fewer_waits(ahead)) and ahead and ahead.kernel:
        verdict += (
            f" {best.name}, which only reads ahead, would save {1 - best.waits / ahead.kernel.waits:.0%} of the waits."
        )
    doubts += on_waits(rows[0], ahead)
    suggested = [each for each in suggestions(trace) if not request.policies or each.policy in request.policies]
    show("")
    also = (doubts, ahead, [*beside(left, ahead, policies)], suggested, found, request.pages, requested)
    return Advice(kind, verdict, told, base, rows, optimum, memory, *also)


def beside(left: Sequence[Left], found: Prefetching | None, policies: Sequence[Able]) -> Iterator[Left]:
    """Those that are not judged in any table."""
    names = {name for name, _, _ in policies}
    for each in left:
        if found is None or each.name not in names:
            yield each
        elif found.why:
            yield each._replace(why=f"it does not evict; {found.why}")


def nothing_left(left: Sequence[Left]) -> str:
    why = "; ".join(f"{each.name}: {each.why}" for each in left)
    return f"none of these can be judged beside the default ({why or 'it is the default'}); name others"


def model(some: Sequence[Choice], reads: Sequence[Sequence[int]], recorded: Sequence[int] | None, half: int) -> Choice:
    """Which model of the default was nearer to the machine in the first half; the first one if nothing tells."""
    known = {choice.name: (choice, each) for choice, each in zip(some, reads, strict=True) if choice.proposal is None}
    models = [known[name] for name in DEFAULTS]
    if recorded is None:
        return models[0][0]
    return min(models, key=lambda each: abs(sum(each[1][:half]) - sum(recorded[:half])))[0]


def tune(
    runs: Runs, others: Sequence[tuple[Choice, list[int]]], trials: int, show: Callable[[str], None]
) -> list[tuple[Choice, list[int]]]:
    """The policies, the first ones with params that suit the first half better, if there are any."""
    half = runs.blocks.half

    def better(choice: Choice, reads: list[int]) -> tuple[Choice, list[int]]:
        def first_half(settings: Sequence[Choice]) -> list[int]:
            return [sum(runs.reads(each, blocks=half)) for each in settings]

        found, fewest = search(choice, trials, runs.seed, first_half)
        if not found.params or fewest > (1 - BETTER) * sum(reads[:half]):
            return choice, reads
        return found, runs.reads(found)

    made = [*others]
    able = [place for place, (choice, _) in enumerate(others) if choice.policy.params and not choice.is_beside][:TUNED]
    tasks = [Task(f"params of {others[place][0].name}", partial(better, *others[place])) for place in able]
    for place, result in zip(able, runs.beside(tasks, show), strict=True):
        made[place] = result
    return sorted(made, key=lambda each: sum(each[1][:half]))


def row(choice: Choice, ours: Sequence[int], theirs: Sequence[int], half: int, seed: int) -> Row:
    against = interval(ours[half:], theirs[half:], seed)
    return Row(choice, sum(ours[:half]), sum(ours[half:]), against)


def with_less(runs: Runs, rows: Sequence[Row], half: int, show: Callable[[str], None]) -> list[Row]:
    """The rows, the first ones with what they read with a little less room."""
    percent, _ = OTHER_ROOMS
    tasks = [
        Task(f"{row.choice.name} with {percent} % of the room", partial(runs.reads, row.choice, percent))
        for row in rows[: 1 + FIRST]
    ]
    reads = [sum(each[half:]) for each in runs.beside(tasks, show)]
    return [*(row._replace(less=less) for row, less in zip(rows, reads, strict=False)), *rows[len(reads) :]]


def with_readahead(
    requests: Asked, half: int, rows: Sequence[Row], request: Request, show: Callable[[str], None]
) -> list[Row]:
    """The rows, the default's and the first ones with what they read if readahead is played anew.

    None of them has that if the model does not read what the machine read, or if there are too many requests.
    """
    base, *others = rows
    if not requests.whole:
        return [*rows]
    show(f"{base.choice.name}, with readahead played anew")
    usual = played(base.choice, requests, half, request.seed)
    if abs(usual.whole / max(1, requests.reads) - 1) > OFF:
        return [*rows]
    made = [base._replace(played=usual)]
    chosen = [place for place, row in enumerate(others) if can_play(row.choice)][:PLAYED]
    for place, row in enumerate(others):
        if place in chosen:
            show(f"{row.choice.name}, with readahead played anew")
            row = row._replace(played=played(row.choice, requests, half, request.seed))
        made.append(row)
    return made


def on_readahead(row: Row) -> Iterator[Doubt]:
    if row.played is not None and row.far_played:
        text = (
            f"with readahead played anew, {row.choice.name} reads {row.played.reads:,} pages, and not {row.reads:,}: "
            "it brings other pages than in the machine"
        )
        yield Doubt("readahead", text)


def on_room(row: Row) -> Iterator[Doubt]:
    if row.hangs_on_room:
        text = f"with 3 % less room, {row.choice.name} reads {row.less:,} pages, and not {row.reads:,}"
        yield Doubt("room", text)


def on_waits(row: Row, ahead: Prefetching | None) -> Iterator[Doubt]:
    """Less that is read ahead means fewer disk reads, and may mean more waits."""
    if row.choice.proposal is None or row.choice.proposal.unbrought is None:
        return
    if ahead is None or ahead.kernel is None or not ahead.rows:
        yield Doubt("waits", f"{row.choice.name} reads less ahead, so requests may wait more often; nothing here tells")
        return
    for each in ahead.rows:
        if each.name == row.choice.name and each.waits > ahead.kernel.waits:
            more = each.waits / ahead.kernel.waits - 1
            yield Doubt("waits", f"with {each.name}, requests wait {more:.1%} more often, though less is read")


def fewer_waits(ahead: Prefetching | None) -> Ahead | None:
    """The policy that prefetches with the fewest waits, if it saves some and reads no more than the kernel's own."""
    if ahead is None or ahead.kernel is None:
        return None
    able = (row for row in ahead.rows if row.reads <= (1 + GAIN) * ahead.kernel.reads)
    best = min(able, key=lambda row: row.waits, default=None)
    return best if best and best.waits <= (1 - GAIN) * ahead.kernel.waits else None


def unseen(machine: Sequence[int] | None, unread: Sequence[int]) -> tuple[Kind, str] | None:
    """The verdict if nobody was seen to use most of what the machine read, in each block; None: it was used, or the
    trace does not tell."""
    if machine is None or sum(unread) <= UNSEEN * (sum(machine) + sum(unread)):
        return None
    return "withheld", (
        f"No advice: of {sum(machine) + sum(unread):,} pages that were read from the disk, nobody was seen to use "
        f"{sum(unread):,}. They were mapped, or readahead brought them in vain; so nothing tells what a policy would "
        "save."
    )


def decide(rows: Sequence[Row], default: Row, recorded: int | None) -> tuple[Kind, str]:
    """The verdict. `rows`: that with the fewest disk reads in the half that chose comes first."""
    best = rows[0]
    off = 0.0 if recorded is None else (default.reads - recorded) / max(1, recorded)
    if abs(off) > OFF and max(default.reads, recorded or 0) >= LEAST_READS:
        return "withheld", (
            f"No advice: the model of the kernel's default reads {default.reads:,} pages where the machine read "
            f"{recorded or 0:,}, so it says nothing of other policies either."
        )
    if default.reads < LEAST_READS:
        return "longer", (
            f"Record longer: the second half has {default.reads:,} disk reads, and under {LEAST_READS:,} any share of "
            "them is chance. If that was a usual time, there is little to save."
        )
    worst = max(best.against.high, best.reads / recorded if recorded else 0.0)
    again = best.played.reads / max(1, default.played.reads) if best.played and default.played else 0.0
    if worst <= 1 - GAIN < again:
        return "keep", (
            f"Keep the default: {best.choice.name} saves {1 - best.against.ratio:.0%} of the disk reads if readahead "
            f"brings the same pages as in the machine, and {max(0.0, 1 - again):.0%} if it is played anew."
        )
    if worst <= 1 - GAIN:
        return "try", (
            f"Try {best.choice.name}: {1 - best.against.ratio:.0%} fewer disk reads than the kernel's default "
            f"({1 - best.against.high:.0%} to {1 - best.against.low:.0%})."
        )
    if late := [row for row in rows if row.against.high <= 1 - GAIN]:
        other = min(late, key=lambda row: row.against.ratio)
        return "longer", (
            f"Record longer: the first half chose {best.choice.name}, and in the second {other.choice.name} saves most "
            f"({1 - other.against.ratio:.0%}). The work changed, or the cache was filling."
        )
    if best.against.low > 1 - GAIN:
        return "keep", f"Keep the default: no policy saves {GAIN:.0%} of the disk reads."
    more = best.against.high - 1
    return "longer", (
        f"Record longer: {best.choice.name} may save {1 - best.against.low:.0%} of the disk reads, or "
        + (f"cost {more:.0%} more." if more > 0 else f"{-more:.0%}; under {GAIN:.0%} is not worth a change.")
    )


def enough(runs: Runs, default: Choice, wanted: int, half: int, show: Callable[[str], None]) -> int | None:
    """Percent of the present capacity with which the default reads no more; None: it takes more than there are."""

    def more(percent: int) -> int:
        show(f"the default with {percent} % of the memory")
        return -sum(runs.reads(default, percent)[half:])

    place = bisect_left(PERCENTS, -wanted, key=more)
    return PERCENTS[place] if place < len(PERCENTS) else None


def doubts_of(
    trace: Trace,
    blocks: Blocks,
    machine: Sequence[int] | None,
    recorded: Sequence[int] | None,
    default: Sequence[int],
) -> Iterator[Doubt]:
    """What the recording did not see, or does not tell.

    Args:
        machine: what the machine read in each block; None: the trace does not tell.
        recorded: the same, if the model of the default can be compared with it.
        default: what that reads.
    """
    if trace.lost:
        yield Doubt("lost", f"{trace.lost:,} events were lost while it was recorded")
    if trace.format == "record":
        yield Doubt("mapped", "uses of pages through a mapping are seen only when the mapping ends")
    else:
        yield Doubt("model", "this is no recording, so what the machine read is not known, only what a model reads")
    if trace.unread * SHARE > trace.requests:
        yield Doubt(
            "readahead",
            f"readahead brought {trace.unread:,} pages that nobody read; under another policy it would read others",
        )
    if (written := sum(map(bool, trace.writes or ()))) * SHARE > trace.requests:
        yield Doubt(
            "dirty",
            f"{written:,} requests write; a page that was just written cannot go at once, and the model evicts it",
        )
    if machine is not None and (cached := cached_before(trace)) * SHARE > sum(machine):
        yield Doubt("warm", f"{cached:,} pages were cached before it began; all policies here begin empty")
    if trace.times and (seconds := trace.times[-1] / 1000) < SHORT:
        yield Doubt("short", f"it is {seconds:.1f} s long, which may be one phase of the work only")
    if recorded is None and trace.format == "record":
        yield Doubt("memory", "with other memory than was recorded, the model of the default has nothing beside it")
    reads = default if recorded is None else [*map(sum, zip(recorded, blocks.unread(), strict=True))]
    first, second = sum(reads[: blocks.half]), sum(reads[blocks.half :])
    if not second <= PHASES * first <= PHASES * PHASES * second:
        yield Doubt("phases", f"its halves differ: {first:,} disk reads, then {second:,} of as many requests")


def cached_before(trace: Trace) -> int:
    """Pages whose first request reads, and for which the machine did not read from the disk."""
    assert trace.read is not None
    kinds, writes = trace.ahead or bytes(len(trace.ids)), trace.writes or bytes(len(trace.ids))
    found, known = 0, set[int]()
    for id, kind, read, write in zip(trace.ids, kinds, trace.read, writes, strict=True):
        found += kind == REQUEST and not read and not write and id not in known
        known.add(id)
    return found
