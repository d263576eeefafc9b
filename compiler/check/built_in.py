"""Resolves names that are built in: `cache.size`, `task.thread`, `p.page`, `evict.wanted`, `every.periods`."""

from __future__ import annotations

from cpol.compiler.check.habits import OTHER_PARTS, of_a_list
from cpol.compiler.check.record import RecordChecker
from cpol.compiler.check.symbols import (
    FaultSym,
    FieldSym,
    GhostSym,
    OutSym,
    RangeSym,
    RecordSym,
    RequestSym,
)
from cpol.compiler.check.where import AGAIN, CONSTANT, FIXED
from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.syntax import ast
from cpol.compiler.types import BOOL, U64, Type
from cpol.compiler.vocabulary.around import CACHE, EVERY, EVICT, TASK
from cpol.compiler.vocabulary.attribute import Attributes
from cpol.compiler.vocabulary.request import FAULT, OUT, RANGE, REQUEST


def _known_of(symbol: FaultSym | RequestSym) -> Attributes:
    if isinstance(symbol, OutSym):
        return OUT
    if isinstance(symbol, RangeSym):
        return RANGE
    return FAULT if isinstance(symbol, FaultSym) else REQUEST


class BuiltInChecker(RecordChecker):
    """Resolves names that no declaration makes."""

    def not_constant(self, path: ast.Path, kind: str) -> None:
        if self.where == CONSTANT:
            allowed = "it is computed when the policy is compiled, from numbers and consts"
        elif self.where in AGAIN:
            allowed = "it is computed from numbers, consts, params and `cache.capacity`"
        else:
            allowed = "it is computed once, at attach, from numbers, consts, params and `cache.capacity`"
        self.report.error(
            "E0211",
            path.span,
            f"{self.where} cannot read `{path.text}`",
            label=f"this is {kind}",
            why=allowed,
            help="use a number or a `const`" if self.where == CONSTANT else "use numbers, params and `cache.capacity`",
        )

    def _bare(self, path: ast.Path, type: Type | None) -> Type | None:
        if type is None or len(path.parts) == 1:
            return type
        self.report.error(
            "E0106",
            path.parts[1].span,
            f"`{path.parts[0].text}` is a plain value and has no parts",
            help=f"write `{path.parts[0].text}`",
        )
        return None

    def _member(self, path: ast.Path, what: str, members: list[str], help: str = "") -> str | None:
        """The member after the point, if it is one of `members`. None after an error."""
        if len(path.parts) == 1:
            example = f"{path.text}.{members[0]}"
            self.report.error("E0107", path.span, f"{what} has no value of its own", help=f"write `{example}`")
            return None
        member = path.parts[1]
        if member.text in members:
            return member.text
        self.report.error(
            "E0106",
            member.span,
            f"{what} has no `{member.text}`",
            why=f"it has {listing(members)}",
            help=(of_a_list(path.parts[0].text, member.text) if members == ["size"] else "")
            or OTHER_PARTS.get(path.text, "")
            or suggest(member.text, members)
            or help,
        )
        return None

    def _cache(self, path: ast.Path) -> Type | None:
        member = self._member(path, "`cache`", list(CACHE))
        if member == "capacity":
            if self.where == CONSTANT:
                self.not_constant(path, "known only when the policy is attached")
                return None
            return CACHE[member].type if self.evicting(path.span, "`cache.capacity`") else None
        if member is None:
            return None
        if self.where in FIXED:
            self.not_constant(path, "known only when the policy runs")
            return None
        return CACHE[member].type if member == "time" or self.evicting(path.span, f"`cache.{member}`") else None

    def _asked(self, path: ast.Path, symbol: FaultSym | RequestSym) -> Type | None:
        """The declared type of what a fault, a request or a range has. None after an error."""
        known = _known_of(symbol)
        member = self._member(path, symbol.kind, list(known))
        if member is None:
            return None
        only = known[member].only
        if only in ("", self.where):
            return known[member].type
        whys = {
            "prefetch": "only there the kernel asks what to read",
            "fault": "in `on prefetch` the page must be read",
        }
        self.report.error(
            "E0316",
            path.span,
            f"`{path.text}` is known only in `on {only}`",
            why=whys[only],
            help=f"read it in `on {only}`, or keep it in a `state` there",
        )
        return None

    def _task(self, path: ast.Path) -> Type | None:
        record = self.typed.symbols.names.get("task")
        if isinstance(record, RecordSym) and path.text == "task.size" and self.where not in FIXED:
            record.used = True
            self.typed.refs[path] = record
            return U64
        fields = ("size", *record.fields) if isinstance(record, RecordSym) else ()
        members = [*TASK, *fields]
        declare = f"declare `task up to 1024 {{ {path.parts[-1].text}: u32 = 0 }}`"
        member = self._member(path, "`task`", members, "" if isinstance(record, RecordSym) else declare)
        if member is None or not self.knows_task(path):
            return None
        return TASK[member].type if member in TASK else U64

    def _evict(self, path: ast.Path) -> Type | None:
        if self._member(path, "`evict`", list(EVICT)) is None:
            return None
        if self.where == "evict":
            return U64
        self.report.error(
            "E0314",
            path.span,
            "`evict.wanted` exists only in `on evict`",
            why="only `on evict` serves a request for pages",
            help="read it in `on evict`, or keep it in a `state` there",
        )
        return None

    def _every(self, path: ast.Path) -> Type | None:
        if self._member(path, "`every`", list(EVERY)) is None:
            return None
        if self.where == "every":
            return U64
        self.report.error(
            "E0319",
            path.span,
            "`every.periods` exists only in `every`",
            why="it tells how many periods went by since that block last ran",
            help="read it in `every`, or keep it in a `state` there",
        )
        return None

    def of_ghost(self, path: ast.Path, ghost: GhostSym) -> Type | None:
        """The type of `g.size` or `g.full`. None after an error."""
        ghost.asked = True
        if path.text == f"{ghost.name}.oldest":
            fields = list(ghost.fields)
            self.report.error(
                "E0107",
                path.span,
                "the oldest entry has no value of its own",
                why="a ghost keeps a hash of a folio's name, and a record" if fields else "this ghost has no record",
                help=f"write `{path.text}.{fields[0]}`"
                if fields
                else f"declare one, such as `folio {{ index: u64 = 0 }}`, and read `{path.text}.index`",
            )
            return None
        helps = "".join(f"write `{ghost.name}.oldest.{field}` for the oldest entry" for field in list(ghost.fields)[:1])
        member = self._member(path, "a ghost", ["size", "full"], helps)
        if member is None or not self.evicting(path.span, "a ghost"):
            return None
        return BOOL if member == "full" else U64

    def ghost_field(self, code: str, ghost: GhostSym, name: ast.Name) -> FieldSym | None:
        """The field of a ghost's record. None after an error, which has this code."""
        if name.text in ghost.fields:
            return ghost.fields[name.text]
        fields = list(ghost.fields)
        self.report.error(
            code,
            name.span,
            f"the ghost `{ghost.name}` has no field `{name.text}`",
            why=f"it has {listing(fields)}" if fields else "it has no record",
            help=suggest(name.text, fields)
            or f"declare it: `ghost {ghost.name} {{ … folio {{ {name.text}: u64 = 0 }} }}`",
        )
        return None

    def names_oldest(self, path: ast.Path) -> bool:
        """Whether `path` begins as `g.oldest.FIELD` does."""
        ghost = self.scope.find(path.parts[0].text)
        plain = isinstance(ghost, GhostSym) and not isinstance(ghost, RecordSym)
        return plain and len(path.parts) > 2 and path.parts[1].text == "oldest"

    def oldest(self, path: ast.Path) -> Type | None:
        """The declared type of `g.oldest.FIELD`. None after an error."""
        ghost = self.scope.find(path.parts[0].text)
        assert isinstance(ghost, GhostSym)
        ghost.used = ghost.asked = True
        self.typed.refs[path] = ghost
        if self.where in FIXED:
            self.not_constant(path, "a ghost, which changes")
            return None
        if not self.evicting(path.span, "a ghost"):
            return None
        field = self.ghost_field("E0106", ghost, path.parts[2])
        if field is None:
            return None
        field.used = True
        if len(path.parts) > 3:
            text = ".".join(part.text for part in path.parts[:3])
            why = f"`{text}` is a plain value and has no parts"
            self.report.error("E0106", path.parts[3].span, why, help=f"write `{text}`")
            return None
        return field.type
