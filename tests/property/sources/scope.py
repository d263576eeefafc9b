"""What random source text may name at a place: types, declarations, locals."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

U64, S64, FIX, BOOL = "u64", "s64", "fix", "bool"
WIDE = (U64, S64, FIX)
MOOD = "mood"
MEMBERS = ("cold", "warm", "hot")
OF_RANGES = ("opened", "read", "written")
ASKING = ("fault", "prefetch", "readahead", *OF_RANGES, "swap")
"""Handlers that know no folio, list or ghost."""
WITH_TASK = (
    "missed",
    "admit",
    "added",
    "first_accessed",
    "accessed",
    "fn",
    *(event for event in ASKING if event != "swap"),
)
WITHOUT_FOLIO = ("init", "evict", "every", "invariant")
NAME_ONLY = ("missed", "admit")
"""Handlers whose folio is not in the cache."""


def widened(type: str) -> str:
    """Return the type of an expression that reads a value of `type`."""
    return {"u": U64, "s": S64}[type[0]] if type[0] in "us" and type[1:].isdigit() else type


def limits(type: str) -> tuple[int, int]:
    """Return the least and the greatest value of a type of whole numbers."""
    bits = int(type[1:])
    return (0, 2**bits - 1) if type[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


@dataclass(frozen=True)
class Fn:
    name: str
    params: tuple[str, ...]
    """Types; `folio` for a folio."""
    type: str
    reads_folio: bool
    """Reads what is known only of a folio in the cache."""
    reads_task: bool
    reads_cache: bool = False
    """Reads lists, ghosts or the cache."""


@dataclass(frozen=True)
class Action:
    name: str
    params: tuple[str, ...]
    """Types; `folio` for a folio, which comes first, `list` for a list, which comes last."""


@dataclass
class Declared:
    """Declarations so far: names with their types as written."""

    consts: dict[str, str] = field(default_factory=dict)
    params: dict[str, str] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, str] = field(default_factory=dict)
    """The fields that are arrays, with the type of their elements."""
    tables: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Type and number of dimensions."""
    ghosts: dict[str, dict[str, str]] = field(default_factory=dict)
    """The record of each."""
    owners: dict[str, dict[str, str]] = field(default_factory=dict)
    """The records of files and threads, by `file` and `task`."""
    inputs: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    """Key and, of a map, type."""
    fns: list[Fn] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    scores: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    lanes: list[str] = field(default_factory=list)
    """Arrays of lists."""
    pins: bool = False
    """Whether there is a quota of pinned pages."""
    keeps: bool = False
    """Whether there is a quota of pages that are kept from swap."""
    wants: bool = False
    """Whether it may ask for evictions."""
    simulated: bool = True
    """Whether words that no kernel has are known, too."""


@dataclass
class Scope:
    place: str
    """The handler, or `every`, `fn`, `score`, `invariant`."""
    locals: list[tuple[str, str]] = field(default_factory=list)
    variables: list[tuple[str, str]] = field(default_factory=list)
    """With their declared types."""
    folios: list[str] = field(default_factory=list)
    reason: str | None = None
    reads_folio: bool = False
    reads_task: bool = False
    reads_cache: bool = False

    @property
    def pure(self) -> bool:
        return self.place in ("fn", "score", "invariant")

    def inner(self, *folios: str) -> Scope:
        return replace(self, locals=list(self.locals), variables=list(self.variables), folios=[*self.folios, *folios])


def owned(known: Declared, scope: Scope) -> list[tuple[str, str, str]]:
    """Return the fields of records of files and threads that are known here: what of, text, type."""
    found = [
        ("file", f"{folio}.file.{name}", of)
        for folio in scope.folios
        for name, of in known.owners.get("file", {}).items()
    ]
    if scope.place in WITH_TASK:
        found += [("task", f"task.{name}", of) for name, of in known.owners.get("task", {}).items()]
    if scope.place in ("fault", "prefetch"):
        found += [("area", f"p.area.{name}", of) for name, of in known.owners.get("area", {}).items()]
    if scope.place in OF_RANGES:
        found += [("file of a range", f"r.file.{name}", of) for name, of in known.owners.get("file", {}).items()]
    if scope.place == "readahead":
        found += [("file of a request", f"r.file.{name}", of) for name, of in known.owners.get("file", {}).items()]
    return found


class Counts(Counter[str]):
    """How often each construct of the language was written."""

    def wrote(self, construct: str, text: str) -> str:
        self[construct] += 1
        return text
