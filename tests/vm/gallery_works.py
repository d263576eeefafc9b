"""Problems of the gallery as works of the machine, and what it read beside the simulator (tests/bench/gallery)."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve
from cpol.errors import RequestError
from cpol.runtime.simulate.advise.advise import Request, advise
from cpol.runtime.simulate.advise.wanted import KEEP, Pair, of_advice, on_model, reads_ahead
from cpol.runtime.simulate.runs.room import KERNEL_BATCH
from cpol.runtime.simulate.traces import Trace
from cpol.runtime.simulate.traces.workload import FIRST_THREAD, Workload, play

WRITES = 1 << 31
"""Set in the reader of a request that writes (gallery_reads.c)."""
OTHER = "s3fifo"
"""Runs where the default is to be kept, to show that it saves nothing."""

Json = Mapping[str, Any]


def policy_of(workload: Workload) -> str:
    return OTHER if workload.advice == KEEP else workload.advice


def plan_of(workload: Workload, trace: Trace) -> dict[str, Any]:
    """What gallery_checks.py has to know of it."""
    assert trace.names
    numbers = {path: place for place, path in enumerate(dict.fromkeys(each.file for each in workload.readers))}
    files = {number: numbers[path] for number, path in (trace.paths or {}).items()}
    sizes = [1] * len(numbers)
    for file, page in zip(trace.names.files, trace.names.indices, strict=True):
        sizes[files[file]] = max(sizes[files[file]], page + 1)
    policy = policy_of(workload)
    inputs = compiled(resolve(policy)).policy.inputs
    keys = {each.key: each.name for each in inputs}
    told = [(place, each) for place, each in enumerate(workload.readers) if each.told]
    named, parts, input = list[str](), list[str](), ""
    if "comm" in keys:
        input, named = keys["comm"], list(dict.fromkeys(each.command for _, each in told))
    elif "thread" in keys:
        input, parts = keys["thread"], [str(place) for place, _ in told]
    elif "file" in keys:
        input, named = keys["file"], list(dict.fromkeys(str(numbers[each.file]) for _, each in told))
    return {
        "memory": workload.memory,
        "requests": len(trace.ids),
        "readers": [{"command": each.command, "file": numbers[each.file]} for each in workload.readers],
        "sizes": sizes,
        "policy": Path(policy).stem,
        "input": input,
        "values": named,
        "parts": parts,
        "replays": "index" in keys,
    }


def requests_of(trace: Trace) -> array[int]:
    """The trace as gallery_reads takes it."""
    assert trace.names and trace.tasks and trace.writes
    found = array("I")
    for id, thread, writes in zip(trace.ids, trace.tasks, trace.writes, strict=True):
        found.extend(((thread - FIRST_THREAD) | (WRITES if writes else 0), trace.names.indices[id]))
    return found


def simulated(workload: Workload, room: int) -> Pair | None:
    """Both in the simulator, with the room that the machine had; None: it cannot judge the policy."""
    workload = replace(workload, memory=room)
    trace = play(workload)
    if (wanted := reads_ahead(workload)) is not None:
        return on_model(workload, trace, wanted)
    policy = policy_of(workload)
    asked = Request(trace, None, room, KERNEL_BATCH, workload.seed, 1, 0, [policy])
    try:
        return of_advice(replace(workload, advice=policy), advise(asked, lambda _: None))
    except RequestError:
        return None


@dataclass(frozen=True)
class Played:
    """A problem in the machine, and in the simulator."""

    workload: Workload
    figures: Json
    simulated: Pair | None

    @property
    def ratio(self) -> float:
        return float(self.figures["after"]["pages"] / max(1, self.figures["before"]["pages"]))


def table(played: Sequence[Played]) -> str:
    """A line for each problem: what the machine read by default and under the policy, then the simulator's ratio."""
    lines = [
        "| problem | policy | room | default | policy reads | ratio | simulator: default | ratio |",
        "| --- " * 8 + "|",
    ]
    for each in played:
        before, after, pair = each.figures["before"], each.figures["after"], each.simulated
        cells = (each.workload.name, policy_of(each.workload), before["room"], before["pages"], after["pages"])
        texts = [f"{cell:,}" if isinstance(cell, int) else f"`{cell}`" for cell in cells]
        texts.append(f"{each.ratio:.2f}")
        texts += ["", ""] if pair is None else [f"{pair.before.pages:,}", f"{pair.share:.2f}"]
        lines.append(f"| {' | '.join(texts)} |")
    return "\n".join(lines)
