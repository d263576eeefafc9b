"""What a sweep runs, as its TOML file says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.ir import MAX_BATCH
from cpol.errors import RequestError, UserError
from cpol.runtime.simulate.runs.capacity import read_capacity, read_warmup
from cpol.runtime.simulate.sweep.fetched import INSTEAD, secret_in
from cpol.runtime.simulate.sweep.unit import Reading
from cpol.runtime.simulate.traces import TraceError, format_of, read_columns
from cpol.tomlfile import places
from cpol.tomlfile.read import At, read_toml

MOST_DIGITS = 30
"""Of a number that could make sense."""

KEYS = ("policies", "traces", "capacities", "batches", "seed", "warmup", "base", "params", "reading", "storage")
READING = ("format", "columns", "pages")
NEEDED = ("policies", "traces", "capacities")
EXAMPLE = {
    "policies": '["lru", "s3fifo", "mine.cpol"]',
    "traces": '["traces/*.oracleGeneral.zst"]',
    "capacities": '[0.01, 0.1, "1G"]',
}


class Said(NamedTuple):
    """A text of the file, and what messages about it begin with."""

    text: str
    where: str


class Param(NamedTuple):
    """A param of a policy, with one value or several."""

    name: Said
    values: tuple[Said, ...]


class Named(NamedTuple):
    """A policy as the file names it."""

    word: str
    params: tuple[Param, ...]
    where: str


class Spec(NamedTuple):
    """A sweep. Paths that are relative begin at `folder`."""

    folder: Path
    policies: tuple[Named, ...]
    traces: tuple[Said, ...]  # paths, globs, URLs
    capacities: tuple[str, ...]
    batches: tuple[int | None, ...]
    seed: int
    warmup: str
    base: Said | None
    reading: Reading
    storage: Mapping[str, Any]


def read_spec(path: Path) -> Spec:
    """Read a file.

    Raises:
        UserError: it cannot be read, or is wrong; the message begins with its path, line and column.
    """
    told, at = read_toml(path, "a sweep", "name traces by a glob")
    return spec_of(told, path.parent, at)


def spec_of(told: Mapping[str, Any], folder: Path, at: At) -> Spec:
    """A sweep from the values of a file, or from others that are like them.

    Raises:
        UserError: a key or a value is wrong.
    """
    _refuse_unknown(told, KEYS, (), at)
    for key in NEEDED:
        if key not in told:
            raise UserError(f"{at((), False)}there is no key `{key}`; add a line {key} = {EXAMPLE[key]}")
    words, traces = (_texts(told[name], name, at) for name in ("policies", "traces"))
    params = _table(told.get("params", {}), ("params",), at)
    _refuse_unknown(params, [each.text for each in words], ("params",), at, "no policy here is called", "policies")
    reading = _reading(_table(told.get("reading", {}), ("reading",), at), at)
    storage = _storage(_table(told.get("storage", {}), ("storage",), at), at)
    if secret := secret_in(storage):
        raise UserError(f"{at(('storage', *secret), True)}`{secret[-1]}` holds credentials; {INSTEAD}")
    base = told.get("base")
    if base is not None and not isinstance(base, str):
        raise UserError(f'{at(("base",), False)}`base` is the policy that others are compared with, such as "lru"')
    return Spec(
        folder,
        tuple(
            Named(word.text, _params(params.get(word.text, {}), ("params", word.text), at), word.where)
            for word in words
        ),
        tuple(traces),
        _capacities(told["capacities"], at),
        _batches(told.get("batches", []), at),
        _whole(told.get("seed", 1), ("seed",), 0, 2**64 - 1, at),
        _warmup(told.get("warmup", 0), at),
        None if base is None else Said(base, at(("base",), False)),
        reading,
        storage,
    )


def _refuse_unknown(
    told: Mapping[str, Any],
    known: Sequence[str],
    path: places.Path,
    at: At,
    what: str = "there is no key",
    kind: str = "keys",
) -> None:
    for key in told:
        if key not in known:
            hint = suggest(key, known) or f"the {kind} are {listing(known)}"
            raise UserError(f"{at((*path, key), True)}{what} `{key}`; {hint}")


def _table(told: Any, path: places.Path, at: At) -> Mapping[str, Any]:
    if not isinstance(told, Mapping):
        name = ".".join(map(str, path))
        raise UserError(f"{at(path, False)}`{name}` is a table; write [{name}] alone on a line, and its keys below")
    return told


def _list(told: Any, name: str, at: At) -> list[Any]:
    """A value, or a list of them."""
    every = [*told] if isinstance(told, list | tuple) else [told]
    if not every:
        raise UserError(f"{at((name,), False)}`{name}` is empty; give one or more, such as {EXAMPLE[name]}")
    return every


def _item(told: Any, path: places.Path, number: int) -> places.Path:
    """The path of one of several values, or of the only one."""
    return (*path, number) if isinstance(told, list | tuple) else path


def _texts(told: Any, name: str, at: At) -> list[Said]:
    every, found = _list(told, name, at), dict[str, Said]()
    for number, each in enumerate(every):
        where = at(_item(told, (name,), number), False)
        if not isinstance(each, str) or not each or not each.isprintable():
            raise UserError(f"{where}{_shown(each)} is no text; write {name} = {EXAMPLE[name]}")
        if each in found:
            raise UserError(f"{where}{each} stands twice in `{name}`; leave out one")
        found[each] = Said(each, where)
    return [*found.values()]


def _capacities(told: Any, at: At) -> tuple[str, ...]:
    every, found = _list(told, "capacities", at), dict[int | Decimal, str]()
    for number, each in enumerate(every):
        where = at(_item(told, ("capacities",), number), False)
        if isinstance(each, bool) or not isinstance(each, int | Decimal | str):
            raise UserError(
                f"{where}{_shown(each)} is no capacity; give pages (1000), a share of the objects (0.01) or a size "
                '("64M")'
            )
        try:
            size = read_capacity(text := _written(each))
        except RequestError as error:
            raise UserError(f"{where}{str(error).removesuffix('; several with commas')}") from None
        if size in found:
            raise UserError(f"{where}{text} is the same capacity as {found[size]}; leave out one of them")
        found[size] = text
    return tuple(found.values())


def _batches(told: Any, at: At) -> tuple[int | None, ...]:
    if isinstance(told, list | tuple) and not told:
        return (None,)
    every = [*told] if isinstance(told, list | tuple) else [told]
    places_ = [_item(told, ("batches",), number) for number in range(len(every))]
    numbers = [_whole(each, place, 1, MAX_BATCH, at) for each, place in zip(every, places_, strict=True)]
    for number, each in enumerate(numbers):
        if each in numbers[:number]:
            raise UserError(f"{at(places_[number], False)}{each} stands twice in `batches`; leave out one")
    return tuple(numbers)


def _whole(told: Any, path: places.Path, low: int, high: int, at: At) -> int:
    if isinstance(told, bool) or not isinstance(told, int) or not low <= told <= high:
        most = "2^64 - 1" if high == 2**64 - 1 else str(high)
        raise UserError(f"{at(path, False)}{_shown(told)} is no whole number from {low} to {most}")
    return told


def _warmup(told: Any, at: At) -> str:
    try:
        if isinstance(told, bool) or not isinstance(told, int | Decimal | str):
            raise RequestError(f"{_shown(told)} is no warm-up; give requests (1000), or a share of the trace (0.1)")
        read_warmup(_written(told))
    except RequestError as error:
        raise UserError(f"{at(('warmup',), False)}{error}") from None
    return _written(told)


def _params(told: Any, path: places.Path, at: At) -> tuple[Param, ...]:
    """The values of each param. plan.py checks them against the policy."""
    found = []
    for name, given in _table(told, path, at).items():
        values = [*given] if isinstance(given, list | tuple) else [given]
        for number, each in enumerate(values):
            if not isinstance(each, bool | int | Decimal | str) or each == "":
                where = at(_item(given, (*path, name), number), False)
                raise UserError(f"{where}{_shown(each)} is no value of a param; give a number, a text, true or false")
        if not values:
            raise UserError(f"{at((*path, name), False)}`{name}` is empty; give one value or several: [1, 2]")
        texts = [str(each).lower() if isinstance(each, bool) else _written(each) for each in values]
        said = (Said(text, at(_item(given, (*path, name), number), False)) for number, text in enumerate(texts))
        found.append(Param(Said(name, at((*path, name), True)), tuple(said)))
    return tuple(found)


def _reading(told: Mapping[str, Any], at: At) -> Reading:
    _refuse_unknown(told, READING, ("reading",), at)
    format_, columns, pages = (told.get(name) for name in READING)
    for name, value in (("format", format_), ("columns", columns)):
        if value is not None and not isinstance(value, str):
            raise UserError(f"{at(('reading', name), False)}`{name}` is a text, as --{name} of cpolc sim takes")
    if not isinstance(pages, bool | None):
        raise UserError(f"{at(('reading', 'pages'), False)}`pages` is true or false")
    if format_ is not None:
        try:
            format_ = format_of(format_)
        except TraceError as error:
            raise UserError(f"{at(('reading', 'format'), False)}{error}") from None
    if columns is not None:
        try:
            read_columns(columns)
        except (TraceError, UserError) as error:
            raise UserError(f"{at(('reading', 'columns'), False)}{error}") from None
    return Reading(format_, columns, bool(pages))


def _storage(told: Mapping[str, Any], at: At, path: places.Path = ("storage",)) -> Mapping[str, Any]:
    """Options for fsspec."""
    made: dict[str, Any] = {}
    for name, value in told.items():
        if isinstance(value, Mapping):
            made[name] = _storage(value, at, (*path, name))
        elif isinstance(value, str | bool | int):
            made[name] = value
        elif isinstance(value, Decimal):
            made[name] = float(value)
        else:
            raise UserError(f"{at((*path, name), False)}`{name}` is a text, a number, true, false, or a table of such")
    return made


def _written(value: int | Decimal | str) -> str:
    """A number as users write it: `1e6` of TOML is 1000000."""
    plain = isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) <= MOST_DIGITS
    return f"{value:f}" if plain else str(value)


def _shown(value: Any) -> str:
    return repr(str(value) if isinstance(value, Decimal) else value)[:80]
