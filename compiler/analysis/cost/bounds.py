"""Upper bounds of folio visits and loop rounds of each handler, from the IR."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from cpol.compiler import ir
from cpol.compiler.analysis.upper_bound import (
    Setting,
    UpperBound,
    bounds_nothing,
    period_text,
    strip_parens,
    upper_bound,
)
from cpol.compiler.ir import walk
from cpol.compiler.ir.c_names import line_mark


@dataclass(frozen=True)
class Loop:
    """A scan, an `evict lowest`, a `for` or a `while`. `each` bounds its rounds each time that it starts.

    `carries`: its body assigns to a variable of outside, so that a round leaves something to the next. `word` is what
    the policy calls it.
    """

    kind: str  # scan, for
    pos: ir.Pos
    each: int
    formula: str
    carries: bool = False
    word: str = ""


@dataclass(frozen=True)
class Effort:
    """Folio visits (`steps`) and loop rounds of one handler call, with nested loops multiplied out."""

    steps: int = 0
    rounds: int = 0

    def plus(self, other: Effort) -> Effort:
        return Effort(self.steps + other.steps, self.rounds + other.rounds)

    def worst(self, other: Effort) -> Effort:
        return Effort(max(self.steps, other.steps), max(self.rounds, other.rounds))

    def times(self, n: int) -> Effort:
        return Effort(self.steps * n, self.rounds * n)


@dataclass
class Bounds:
    """The bounds of a policy, by handler name or a name such as `every 1000 events`.

    `array` bounds the number of lists in its longest array; 0 if no program adds up the sizes of one.
    """

    efforts: dict[str, Effort] = field(default_factory=dict)
    loops: dict[str, list[Loop]] = field(default_factory=dict)
    array: int = 0

    def at_line(self, line: str, kind: str) -> int | None:
        """The upper bound of rounds for a loop on a line, or None if the line has no such loop."""
        return max((loop.each for loop in self._on(line, kind)), default=None)

    def count_at(self, line: str, kind: str) -> int:
        """The number of loops on a line."""
        return len({loop.pos for loop in self._on(line, kind)})

    def carries(self, line: str, kind: str) -> bool:
        """Whether a loop on a line carries variables from round to round."""
        return any(loop.carries for loop in self._on(line, kind))

    def _on(self, line: str, kind: str) -> Iterator[Loop]:
        every = (loop for loops in self.loops.values() for loop in loops)
        return (loop for loop in every if (line_mark(loop.pos), loop.kind) == (line, kind))


def bounds_of(policy: ir.Policy, setting: Setting, longest_scan: int = ir.MAX_ROUNDS) -> Bounds:
    """The bounds of `policy`. `longest_scan` is the kernel's limit for the steps of one scan."""
    lengths = [max(upper_bound(array.length, setting, {}).raw, 1) for array in policy.list_arrays]
    result = Bounds(array=max(lengths, default=0) if _adds_up(policy) else 0)
    bodies = {event: handler.body for event, handler in policy.handlers.items()}
    seen: dict[str, int] = defaultdict(int)
    for every in policy.everies:
        name = f"every {period_text(every.period, setting)} {every.unit}"
        seen[name] += 1
        bodies[name if seen[name] == 1 else f"{name} ({seen[name]})"] = every.body
    for name, body in bodies.items():
        found = _Walk(setting, longest_scan)
        result.efforts[name] = found.body(body, {})
        result.loops[name] = found.loops
    return result


def _adds_up(policy: ir.Policy) -> bool:
    """Whether a program of the policy reads the size of a whole array of lists: it then loops over these.

    Invariants do not count: no program has them.
    """
    arrays = {array.name for array in policy.list_arrays}
    reads = (expr for expr in walk.all_expressions(policy) if isinstance(expr, ir.ListSize))
    return any(expr.list.index is None and expr.list.name in arrays for expr in reads)


class _Walk:
    def __init__(self, setting: Setting, longest_scan: int) -> None:
        self.setting = setting
        self.longest_scan = longest_scan
        self.loops: list[Loop] = []

    def body(self, body: tuple[ir.Stmt, ...], lets: dict[str, UpperBound]) -> Effort:
        total = Effort()
        lets = dict(lets)
        for stmt in body:
            if isinstance(stmt, ir.Let):
                lets[stmt.name] = upper_bound(stmt.value, self.setting, lets)
            total = total.plus(self.stmt(stmt, lets))
        return total

    def stmt(self, stmt: ir.Stmt, lets: dict[str, UpperBound]) -> Effort:
        match stmt:
            case ir.If(_, then, orelse, _):
                return self.body(then, lets).worst(self.body(orelse, lets))
            case ir.Scan(_, _, bound, _, body, pos):
                each = self.scan(bound, pos, lets, _carries(body))
                return Effort(steps=each).plus(self.body(body, lets).times(each))
            case ir.EvictByScore(_, bound, _, _, pos):
                return Effort(steps=self.scan(bound, pos, lets))
            case ir.For(name, low, high, body, pos):
                word = "while" if name == ir.ROUND else "for"
                each = self.rounds(low, high, pos, lets, _carries(body), word)
                inner = dict(lets)
                inner[name] = replace(upper_bound(high, self.setting, lets), exact=False)
                return Effort(rounds=each).plus(self.body(body, inner).times(each))
            case _:
                return Effort()

    def scan(self, bound: ir.Expr | None, pos: ir.Pos, lets: dict[str, UpperBound], carries: bool = False) -> int:
        """The bound of a scan: a list holds at most the capacity."""
        limit = self.longest_scan
        wanted = UpperBound(self.setting.capacity, "") if bound is None else upper_bound(bound, self.setting, lets)
        terms = (
            ["capacity"]
            if bound is None or bounds_nothing(wanted)
            else dict.fromkeys([strip_parens(wanted.text), "capacity"])
        )
        each = min(wanted.raw, self.setting.capacity, limit)
        self.loops.append(Loop("scan", pos, each, f"min({', '.join([*terms, f'{limit:,}'])})", carries))
        return each

    def rounds(
        self, low: ir.Expr, high: ir.Expr, pos: ir.Pos, lets: dict[str, UpperBound], carries: bool, word: str
    ) -> int:
        last = upper_bound(high, self.setting, lets)
        first = upper_bound(low, self.setting, lets)
        begin = first.raw if first.exact else 0
        text = strip_parens(last.text)
        if begin != 1:
            text = f"{last.text} {'+' if begin < 1 else '-'} {abs(begin - 1):,}"
        each = max(0, min(last.raw - begin + 1, ir.MAX_ROUNDS))
        most = f"{ir.MAX_ROUNDS:,}"
        formula = most if bounds_nothing(last) else f"min({text}, {most})"
        self.loops.append(Loop("for", pos, each, formula, carries, word))
        return each


def _carries(body: tuple[ir.Stmt, ...]) -> bool:
    found = list(walk.statements(body))
    own = {stmt.name for stmt in found if isinstance(stmt, ir.Var)}
    return any(isinstance(stmt, ir.SetVar) and stmt.name not in own for stmt in found)
