"""Many policies on many traces, with a row of each run in a Parquet data set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from cpol.api.given import decimal, whole
from cpol.api.policy import Policy
from cpol.api.runs import Progress, as_html, as_text, needed, quiet
from cpol.compiler.compiled import Compiled, compiled
from cpol.compiler.policies import resolve
from cpol.errors import RequestError
from cpol.runtime.simulate.sweep import store
from cpol.runtime.simulate.sweep.execute import Line, run
from cpol.runtime.simulate.sweep.executors import Where, bytes_of, executor_of
from cpol.runtime.simulate.sweep.fetched import listed
from cpol.runtime.simulate.sweep.report import report
from cpol.runtime.simulate.sweep.spec import Spec, read_spec, spec_of
from cpol.runtime.simulate.sweep.unit import Row
from cpol.tomlfile.places import Path as Place


def sweep(
    spec: str | Path | Mapping[str, Any],
    folder: str | Path,
    *,
    scheduler: str | None = None,
    workers: int | None = None,
    worker_memory: str | None = None,
    in_process: bool | None = None,
    retry: bool = False,
    progress: Progress = quiet,
) -> Swept:
    """Do the runs that have no row in `folder` yet, as `cpolc sweep` does, and return all.

    Args:
        spec: the path of a TOML file (docs/sweeps.md), or a mapping with the same keys. In a mapping, a policy may be a
            `Policy`, too, and sequences and numbers may be NumPy's.
        folder: the data set, made if it is missing.
        scheduler: the address of a Dask scheduler, such as "tcp://head:8786"; None: this machine.
        workers: how many processes, or threads of this process, do the runs; None: as many as processors.
        worker_memory: of each of them, such as "4G".
        in_process: whether to do without Dask; None: unless `scheduler` or `workers` are given.
        retry: whether to do the runs that failed again.

    Raises:
        UserError: the sweep or the folder is wrong, or a module is missing.
        CompileError: a policy has errors.
        ToolError: the cache cannot be used.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "keys.txt").write_text("1\\n2\\n3\\n1\\n4\\n1\\n2\\n")
    ...     wanted = {"policies": ["lru", "fifo"], "traces": f"{folder}/keys.txt", "capacities": 3}
    ...     [(row["policy"], row["misses"]) for row in sweep(wanted, f"{folder}/night.sweep")]
    [('lru', 5), ('fifo', 6)]
    """
    place = Path(folder)
    wanted, made = _spec(spec)
    workers = None if workers is None else whole("workers", workers, 1, 1 << 16)
    memory = None if worker_memory is None else bytes_of(str(worker_memory))
    own = in_process if in_process is not None else scheduler is None and workers is None
    line = Line(progress)
    execute = executor_of(Where(scheduler, workers, memory, own), progress, line.now)
    run(wanted, place, lambda path: made.get(path) or compiled(path), listed, execute, retry, line.far, progress)
    return Swept(store.stored(place))


def _spec(given: str | Path | Mapping[str, Any]) -> tuple[Spec, dict[Path, Compiled]]:
    """A sweep, and its policies that are compiled."""
    if isinstance(given, str | Path):
        return read_spec(Path(given)), {}
    if not isinstance(given, Mapping):
        raise RequestError(f"{given!r} is no sweep; give the path of a TOML file, or a mapping with its keys")
    plain, told = _plain(given), given.get("policies")
    policies = [each for each in _several(told) or [told] if isinstance(each, Policy)]
    for each in policies:
        if each.inputs:
            raise RequestError(f"{each.label}: a sweep fills no inputs; leave out with_input")
        if each._set:
            params = plain.setdefault("params", {})
            if isinstance(params, dict) and params.setdefault(each.word, each._set) is not each._set:
                raise RequestError(f"{each.label}: `params` has others of {each.word}; give them in one place")
    return spec_of(plain, Path(), _at), {resolve(each.word): each.compiled for each in policies}


def _at(path: Place, key: bool) -> str:
    return f"{'.'.join(map(str, path))}: " if path else "the sweep: "


def _plain(given: Any) -> Any:
    """As a TOML file has it: shares are decimal, paths and policies are texts."""
    if isinstance(given, Mapping):
        return {str(key): _plain(value) for key, value in given.items()}
    if (several := _several(given)) is not None:
        return [_plain(each) for each in several]
    if isinstance(given, Path):
        return str(given)
    if isinstance(given, Policy):
        return given.word
    if isinstance(given, Real) and not isinstance(given, int):
        return int(given) if isinstance(given, Integral) else Decimal(decimal(given))
    return given


def _several(given: Any) -> list[Any] | None:
    """What a sequence has; None: it is none."""
    if isinstance(given, Sequence) and not isinstance(given, str | bytes):
        return [*given]
    if getattr(given, "ndim", 0):  # an array of NumPy
        return [*given.tolist()]
    return None


class Swept(Sequence["dict[str, Any]"]):
    """The rows of a sweep, those of the largest trace first. The columns are in docs/sweeps.md."""

    COLUMNS = Row._fields
    SHOWN = ("trace", "policy", "params", "capacity", "miss_ratio", "error")
    MOST, WIDEST = 20, 60
    """Rows that are shown, and characters of a cell."""

    def __init__(self, stored: store.Stored) -> None:
        self.stored = stored
        self.rows = [*stored.rows.values()]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [each._asdict() for each in self.rows[number]]
        return self.rows[number]._asdict()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (each._asdict() for each in self.rows)

    @property
    def failed(self) -> list[dict[str, Any]]:
        """The rows of runs that failed; `error` has the reason."""
        return [each._asdict() for each in self.rows if each.error]

    def report(self, base: str | None = None) -> list[dict[str, Any]]:
        """A row for each capacity and policy, over the traces on which all ran: what `cpolc sweep report` shows."""
        return [each._asdict() for each in report(self.stored, base).lines]

    @property
    def table(self) -> Any:
        """An Arrow table."""
        return store.table_of(self.rows)

    def to_pandas(self) -> Any:
        """A data frame of pandas. Raises UserError: pandas is missing."""
        return needed("pandas").DataFrame(list(self), columns=list(self.COLUMNS))

    def to_polars(self) -> Any:
        """A data frame of Polars. Raises UserError: polars is missing."""
        return needed("polars").from_arrow(self.table)

    def _cells(self) -> list[list[str]]:
        shown = [[self._shown(row[name]) for name in self.SHOWN] for row in self[: self.MOST]]
        more = len(self) - len(shown)
        return [*shown, *([[f"and {more:,} more", *[""] * (len(self.SHOWN) - 1)]] if more > 0 else [])]

    @staticmethod
    def _shown(value: object) -> str:
        text = f"{value:.4f}" if isinstance(value, float) else "" if value is None else str(value)
        return text if len(text) <= Swept.WIDEST else f"{text[: Swept.WIDEST - 3]}..."

    def __repr__(self) -> str:
        return as_text(self.SHOWN, self._cells())

    def _repr_html_(self) -> str:
        return as_html(self.SHOWN, self._cells())
