"""From what a sweep says to units: which runs there are, which of them are done, and which go together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from cpol.compiler.compiled import Compiled
from cpol.compiler.diagnostics.render import printable
from cpol.compiler.ir import Policy
from cpol.compiler.literals import show_value
from cpol.compiler.policies import is_path, resolve, stdlib_names
from cpol.errors import ToldError, UserError
from cpol.runtime.machine.errors import ParamError
from cpol.runtime.machine.settings.params import read_params
from cpol.runtime.simulate.runs.candidates import BELADY
from cpol.runtime.simulate.sweep.kept import expected_bytes
from cpol.runtime.simulate.sweep.policies import OPTIMUM, source_of
from cpol.runtime.simulate.sweep.spec import Named, Param, Spec
from cpol.runtime.simulate.sweep.unit import Found, Row, Source, Unit, Wanted, row_of

ALL = "all"
"""The policies of the standard library that evict, and have no inputs."""

NO_PARAMS = {
    ALL: f'name the policy beside it: policies = ["{ALL}", "s3fifo"]',
    BELADY: "leave them out",
}
"""What to do about params of what is no policy."""

AT_ONCE = 256 << 20
"""A unit's runs read so many bytes of a trace at most, or it is a single run. That takes a processor some seconds."""

MOST_RUNS = 256
"""Of a unit, whose rows come together."""

MOST_PLANNED = 4_000_000
"""Of a sweep, about 1 GB in memory."""

Compile: TypeAlias = Callable[[Path], Compiled]
Listed: TypeAlias = Callable[[str, Mapping[str, Any]], Sequence[Found]]
"""The traces that a path, a glob or a URL names. Raises UserError."""

Key: TypeAlias = "tuple[object, ...]"
"""What tells a run from all others: the columns KEY."""

KEY = tuple(name for name in Row._fields[: Row._fields.index("pages")] if name != "trace_digest")
_PLACES = [Row._fields.index(name) for name in KEY]


class Policies(NamedTuple):
    """The policies of a sweep.

    `details`: whether one of them asks for the times, tasks or writes of a trace. `base` is the one that others are
    compared with.
    """

    sources: tuple[Source, ...]
    details: bool
    base: str


def key_of(row: Row) -> Key:
    return tuple(row[place] for place in _PLACES)


def policies_of(spec: Spec, compile: Compile, tell: Callable[[str], None] = lambda _: None) -> Policies:
    """Compile the policies of a sweep.

    Args:
        tell: is told of policies that are not what they could be.

    Raises:
        UserError: one is not there, has errors, evicts nothing, or has no such param; the message has the place.
        ToolError: the cache cannot be used.
    """
    made, named_so, details = dict[Source, str](), dict[str, str](), False
    settings = sum(prod(len(values) for _, values in named.params) for named in spec.policies)
    _refuse_more(settings * len(spec.capacities) * len(spec.batches))
    for named in _each(spec.policies):
        if named.word in (BELADY, ALL) and named.params:
            raise UserError(f"{named.params[0].name.where}`{named.word}` has no params; {NO_PARAMS[named.word]}")
        if named.word == BELADY:
            _put(made, named_so, OPTIMUM, named)
            continue
        compiled = _compiled(named, spec.folder, compile)
        own = any(named.word == each.word for each in spec.policies)  # else it is one of `all`
        if not own and (compiled.policy.inputs or not compiled.policy.evicts):
            continue
        if compiled.policy.inputs:
            tell(f"{compiled.policy.name} has inputs, which no sweep fills; it may miss what lru misses")
        if not compiled.policy.evicts:
            raise UserError(f"{named.where}{compiled.policy.name} evicts nothing, so it has no misses; leave it out")
        details = details or _asks_details(compiled)
        source = source_of(compiled, {})  # once: it makes sure that the policy is in the cache
        for params in _variants(named, compiled):
            _put(made, named_so, source._replace(params=tuple(sorted(params.items()))), named)
    names = [*dict.fromkeys(each.name for each in made)]
    if spec.base is not None and spec.base.text not in names:
        said = f"`base` is {spec.base.text}, which is none of the policies here: {', '.join(names)}"
        raise UserError(f"{spec.base.where}{said}")
    first = "lru" if spec.policies[0].word == ALL else names[0]
    return Policies(tuple(made), details, first if spec.base is None else spec.base.text)


def _each(policies: Sequence[Named]) -> Iterator[Named]:
    """The policies, with `all` replaced by those that it means."""
    own = {each.word for each in policies}
    for named in policies:
        if named.word != ALL or named.params:
            yield named
        else:
            yield from (named._replace(word=name) for name in stdlib_names() if name not in own)


def _compiled(named: Named, folder: Path, compile: Compile) -> Compiled:
    word = str(folder / named.word) if is_path(named.word) else named.word
    try:
        path = resolve(word)
        if path.exists() and not (path.is_file() or path.is_dir()):  # the compiler says what to do about a folder
            raise UserError(f"{path} is no regular file, which a policy is; name one")
        made = compile(path)
    except ToldError:
        raise
    except UserError as error:
        raise UserError(f"{named.where}{error}") from None
    return made


def _asks_details(compiled: Compiled) -> bool:
    uses = compiled.uses
    return uses.task or uses.time or uses.flags or uses.writes


def _variants(named: Named, compiled: Compiled) -> Iterator[dict[str, str]]:
    """The params of each of a policy's runs, written in one way."""
    every = [_values(each, named.word, compiled.policy) for each in named.params]
    for values in product(*every):
        yield {each.name.text: value for each, value in zip(named.params, values, strict=True)}


def _values(param: Param, word: str, policy: Policy) -> dict[str, str]:
    """The values of a param, written in one way, and as the file has them. Raises UserError."""
    made: dict[str, str] = {}
    own = next((each for each in policy.params if each.name == param.name.text), None)
    for text, where in param.values:
        try:
            raw = read_params(policy, {param.name.text: text})
        except ParamError as error:
            raise UserError(f"{where if own else param.name.where}{word}: {error}") from None
        assert own
        shown = show_value(raw[own.name], own.type)
        if shown in made:
            raise UserError(f"{where}{word}: {own.name}={text} is the same as {made[shown]}; leave out one of them")
        made[shown] = text
    return made


def _put(made: dict[Source, str], named_so: dict[str, str], source: Source, named: Named) -> None:
    """Add a policy with its params, unless it is there. `named_so` has its digest by its name. Raises UserError."""
    if (first := made.get(source)) is not None:
        shown = " ".join((named.word, *(f"{name}={value}" for name, value in source.params)))
        raise UserError(f"{named.where}{shown} is the same as {first}, with the same params; leave out one")
    if source.name == BELADY and source != OPTIMUM:
        raise UserError(f"{named.where}a policy here is called {BELADY}, as the optimum; give it another name")
    if named_so.setdefault(source.name, source.digest) != source.digest:
        raise UserError(
            f"{named.where}two files here have a policy named {source.name}, and the table would show both by that "
            "name; give one of them another"
        )
    made[source] = named.word


def traces_of(spec: Spec, listed: Listed) -> dict[str, Found]:
    """The traces of a sweep, by what the table calls them: as the first pattern names them.

    Raises:
        UserError: a pattern names none, or it cannot be listed.
    """
    made: dict[str, Found] = {}
    labels: dict[str, str] = {}  # of each place, which may have several paths: x, ./x, ../here/x
    for pattern, where in spec.traces:
        local = "://" not in pattern
        try:
            found = listed(str(spec.folder.absolute() / pattern) if local else pattern, spec.storage)
        except UserError as error:
            raise UserError(f"{where}{error}") from None
        if not found:
            raise UserError(f"{where}no trace has a name like {pattern}; relative paths begin at {spec.folder}")
        for each in found:
            path = Path(each.name)
            inside = local and not Path(pattern).is_absolute() and path.is_relative_to(spec.folder.absolute())
            label = printable(str(path.relative_to(spec.folder.absolute())) if inside else each.name)
            place = each.name if "://" in each.name else f"{path.parent.resolve()}/{path.name}"
            if labels.setdefault(place, label) == label and made.setdefault(label, each) != each:
                raise UserError(f"{where}two traces have names that are shown as {label}; rename one of them")
    return made


def units_of(
    spec: Spec, policies: Policies, traces: Mapping[str, Found], version: str, done: Collection[Key] = ()
) -> Iterator[Unit]:
    """Units of the runs that are not done, the largest traces first, those of a trace one after another."""
    runs = [
        Wanted(policy, capacity, batch)
        for policy in policies.sources
        for capacity in spec.capacities
        for batch in (spec.batches if policy != OPTIMUM else (None,))
    ]
    _refuse_more(len(runs) * len(traces))
    reading = spec.reading._replace(details=policies.details)
    for label, trace in sorted(traces.items(), key=lambda each: (-expected_bytes(each[1]), each[0])):
        unit = Unit(trace, label, reading, spec.storage, (), spec.seed, spec.warmup, version)
        todo = [each for each in runs if not done or key_of(row_of(unit, each)) not in done]
        size = min(MOST_RUNS, max(1, AT_ONCE // max(1, expected_bytes(trace))))
        for start in range(0, len(todo), size):
            yield unit._replace(runs=tuple(todo[start : start + size]))


def _refuse_more(runs: int) -> None:
    """Raises UserError: this process would take too long, and too much memory, to keep account of so many."""
    if runs > MOST_PLANNED:
        raise UserError(f"these are {runs:,} runs, and a sweep has {MOST_PLANNED:,} at most; divide it among files")


def costs_of(units: Iterable[Unit]) -> dict[Key, int]:
    """The runs of the units, and what each takes."""
    return {key_of(row_of(unit, wanted)): cost_of(unit) // len(unit.runs) for unit in units for wanted in unit.runs}


def cost_of(unit: Unit) -> int:
    """What a unit takes, in bytes of traces that its runs go through."""
    return max(1, expected_bytes(unit.trace)) * len(unit.runs)
