"""Holds the IR to its rule: every operand has the type of its slot, and a `Convert` states each conversion.

Tests ask it about every policy that they know. A mistake here would be one value for the interpreter and another for C.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from cpol.compiler import ir
from cpol.compiler.ir import walk
from cpol.compiler.types import raw_range, widened
from cpol.compiler.vocabulary.around import CACHE, TASK
from cpol.compiler.vocabulary.folio import READ_OF_FOLIOS
from cpol.compiler.vocabulary.function import FUNCTIONS
from cpol.compiler.vocabulary.request import ASKED_OF_FILES, ASKED_OF_MEMORY

Slot: TypeAlias = tuple[str, ir.Expr, ir.Type]
"""What an operand is for, the operand, and the type that it must have."""

Locals: TypeAlias = dict[str, ir.Type]

_COMPUTED = (ir.U64, ir.S64, ir.FIX)
_TRUTHS = (
    ir.Compare | ir.Logic | ir.Not | ir.GhostTake | ir.GhostHas | ir.GhostFull | ir.InputHas | ir.ContainsAll
    | ir.ListIs | ir.AllPinned | ir.PrefetchedIs | ir.Defaulted | ir.RangeDid | ir.AheadIs
)  # fmt: skip


def mismatches(policy: ir.Policy) -> list[str]:
    """What breaks the rule in `policy`, each with its place; empty if nothing does."""
    return list(_Verifier(policy).all())


class _Verifier:
    def __init__(self, policy: ir.Policy) -> None:
        self.policy = policy
        self.fns = {fn.name: fn for fn in policy.fns}
        self.params = {param.name: param.type for param in policy.params}
        self.states = {state.name: state.type for state in policy.states}
        self.fields = {field.name: field for field in policy.fields}
        self.tables = {table.name: table for table in policy.tables}
        self.inputs = {given.name: given for given in policy.inputs}
        self.records = {ghost.name: {field.name: field.type for field in ghost.fields} for ghost in policy.ghosts}

    def all(self) -> Iterator[str]:
        yield from self._initial_values()
        for name, pos, slots in self._declared():
            for found in self._slots(slots, {}):
                yield f"{pos.line}: {name}: {found}"
        for fn in self.policy.fns:
            yield from (f"{fn.pos.line}: `{fn.name}`: {found}" for found in self._fn(fn))
        for handler in self.policy.handlers.values():
            known: Locals = {} if handler.why is None else {handler.why: ir.REASON}
            yield from self._body(handler.body, known)
        for every in self.policy.everies:
            yield from self._body(every.body, {})

    # Declarations

    def _initial_values(self) -> Iterator[str]:
        policy = self.policy
        kept = [field for ghost in policy.ghosts for field in ghost.fields]
        values = [(each.name, each.init, each.type) for each in (*policy.states, *policy.fields, *kept)]
        values += [(table.name, table.init, table.type) for table in policy.tables]
        values += [(p.name, value, p.type) for p in policy.params for value in (p.default, p.low, p.high)]
        values += [(given.name, given.default, given.value) for given in policy.inputs if given.value is not None]
        for test in policy.tests:
            values += [(f"{test.name}: {name}", value, self.params[name]) for name, value in test.params]
            for step in test.steps:
                of = self.inputs[step.input].value if isinstance(step, ir.Fill) else None
                if isinstance(step, ir.Fill) and of is not None and step.value is not None:
                    filled = step.value if isinstance(step.value, tuple) else (step.value,)
                    values += [(f"{test.name}: {step.input}", value, of) for value in filled]
        for name, value, type in values:
            if not _fits(value, type):
                yield f"`{name}` starts with {value}, which is no {type}"

    def _declared(self) -> Iterator[tuple[str, ir.Pos, list[Slot]]]:
        """Expressions of declarations and of tests."""
        policy = self.policy
        for ghost in policy.ghosts:
            yield ghost.name, ghost.pos, [("capacity", ghost.capacity, ir.U64)]
        for table in policy.tables:
            yield table.name, table.pos, [("size", size, ir.U64) for size in table.sizes]
        for array in policy.arrays:
            assert array.size is not None
            yield array.name, array.pos, [("size", array.size, ir.U64)]
        for lists in policy.list_arrays:
            yield lists.name, lists.pos, [("length", lists.length, ir.U64)]
        for quota in (policy.pin, policy.keep):
            if quota is not None:
                yield "quota", quota.pos, [("quota", quota.quota, ir.U64)]
        for every in policy.everies:
            yield "every", every.pos, [("period", every.period, ir.U64)]
        for score in policy.scores:
            yield score.name, score.pos, [("score", score.body, _computed(score.body.type))]
        for invariant in policy.invariants:
            yield "invariant", invariant.pos, [("condition", invariant.cond, ir.BOOL)]
        for test in policy.tests:
            expects = [step for step in test.steps if isinstance(step, ir.Expect)]
            yield test.name, test.pos, [("expect", step.cond, ir.BOOL) for step in expects]

    def _fn(self, fn: ir.FnDecl) -> Iterator[str]:
        known = {name: type for name, type in fn.params if type is not None}
        for let in fn.lets:
            yield from self._slots([(f"`{let.name}`", let.value, widened(let.value.type))], known)
            known[let.name] = let.value.type
        yield from self._slots([("result", fn.body, fn.type)], known)

    # Statements

    def _body(self, body: Iterable[ir.Stmt], outer: Locals) -> Iterator[str]:
        known = dict(outer)
        for statement in body:
            kind = type(statement).__name__
            yield from (
                f"{statement.pos.line}: {kind}: {found}" for found in self._slots(self._operands(statement), known)
            )
            inner = known
            if isinstance(statement, ir.Let):
                known[statement.name] = statement.value.type
            elif isinstance(statement, ir.Var):
                known[statement.name] = statement.type
            elif isinstance(statement, ir.SetVar) and known.get(statement.name) != statement.type:
                yield f"{statement.pos.line}: {kind}: `{statement.name}` is no variable of {statement.type}"
            elif isinstance(statement, ir.For):
                inner = {**known, statement.name: ir.U64}
            if isinstance(statement, ir.If):
                yield from self._body(statement.then, inner)
                yield from self._body(statement.orelse, inner)
            else:
                yield from self._body(walk.children(statement), inner)

    def _operands(self, statement: ir.Stmt) -> list[Slot]:
        """The operands of a statement itself."""
        match statement:
            case ir.Let(name, value):
                return [(f"`{name}`", value, widened(value.type))]
            case ir.Var(name, type, value) | ir.SetVar(name, type, value):
                return [(f"`{name}`", value, type)]
            case ir.SetState(name, value):
                return [(f"`{name}`", value, self.states[name])]
            case ir.SetField(_, name, value, _, index):
                return [(f"`{name}`", value, self.fields[name].type), *_numbers("index", index)]
            case ir.SetRecord(record, _, name, value):
                return [(f"`{name}`", value, self.records[record][name])]
            case ir.SetTable(table, indices, value):
                return [(f"`{table}`", value, self.tables[table].type), *_numbers("index", *indices)]
            case ir.GhostAdd(ghost, values=values):
                fields = self.records[ghost].items()
                return [(f"`{name}`", value, type) for (name, type), value in zip(fields, values, strict=True)]
            case ir.If(cond):
                return [("condition", cond, ir.BOOL)]
            case ir.Prefetch(_, target, count, stride):
                return [("target", target, ir.S64), ("count", count, ir.U64), ("stride", stride, ir.S64)]
            case _:  # bounds, indices of lists, pages
                return _numbers("number", *walk.expressions(statement))

    # Expressions

    def _slots(self, slots: Iterable[Slot], known: Locals) -> Iterator[str]:
        for what, operand, wanted in slots:
            if operand.type != wanted:
                yield f"{what} is a {operand.type}, not a {wanted}"
            declared = self._type(operand, known)
            if operand.type != declared:
                yield f"{type(operand).__name__} is a {operand.type}, but declared as {declared}"
            if isinstance(operand, ir.Const) and not _fits(operand.value, operand.type):
                yield f"{operand.value} is no {operand.type}"
            yield from self._slots(self._parts(operand), known)

    def _type(self, expr: ir.Expr, known: Locals) -> ir.Type | None:
        """The type that an expression must have, whatever its slot."""
        match expr:
            case ir.Param(name):
                return self.params[name]
            case ir.State(name):
                return self.states[name]
            case ir.Local(name):
                return known.get(name)
            case ir.Field(name=name) | ir.CachedField(name=name):
                return self.fields[name].type
            case ir.GhostField(ghost, name=name) | ir.GhostOldest(ghost, name) | ir.RecordField(ghost, name=name):
                return self.records[ghost][name]
            case ir.TableGet(name):
                return self.tables[name].type
            case ir.InputGet(name) | ir.ArrayGet(name):
                return self.inputs[name].value
            case ir.FnCall(name):
                return self.fns[name].type
            case ir.FolioAttr(_, attr):
                return READ_OF_FOLIOS[attr].typed(self.policy.list_type)
            case ir.TaskAttr(attr):
                return TASK[attr].type
            case ir.CacheAttr(attr):
                return CACHE[attr].type
            case ir.FaultAttr(attr):
                return ASKED_OF_MEMORY[attr].type
            case ir.RequestAttr(attr):
                return ASKED_OF_FILES[attr].type
            case ir.Const() | ir.Convert() | ir.Select():
                return expr.type
            case ir.Arith():
                return _computed(expr.type)
            case ir.Math(op):
                return FUNCTIONS[op].type
            case _:
                return ir.BOOL if isinstance(expr, _TRUTHS) else ir.U64

    def _parts(self, expr: ir.Expr) -> list[Slot]:
        """The operands of an expression."""
        match expr:
            case ir.Arith(op, left, right, type):
                return [(op, left, type), (op, right, type)]
            case ir.Compare(op, left, right):
                return [(op, left, widened(left.type)), (op, right, left.type)]
            case ir.Logic(op, left, right):
                return [(op, left, ir.BOOL), (op, right, ir.BOOL)]
            case ir.Not(operand):
                return [("not", operand, ir.BOOL)]
            case ir.Select(cond, then, orelse, type):
                return [("if", cond, ir.BOOL), ("then", then, type), ("else", orelse, type)]
            case ir.Convert(operand, type):
                return [("to", operand, _convertible(operand.type, type))]
            case ir.Math(op, operands):
                return [(op, operand, type) for operand, type in zip(operands, FUNCTIONS[op].operands, strict=True)]
            case ir.FnCall(name, args):
                taken = self.fns[name].params
                return [
                    (f"`{parameter}` of `{name}`", arg, type)
                    for (parameter, type), arg in zip(taken, args, strict=True)
                    if type is not None and not isinstance(arg, ir.FolioArg)
                ]
            case _:  # indices, keys, bounds
                return _numbers("operand", *walk.parts(expr))


def _numbers(what: str, *operands: ir.Expr | None) -> list[Slot]:
    return [(what, operand, ir.U64) for operand in operands if operand is not None]


def _computed(type: ir.Type) -> ir.Type:
    """A type that numbers are computed in: `type`, unless it is none."""
    return type if type in _COMPUTED else ir.U64


def _convertible(source: ir.Type, target: ir.Type) -> ir.Type:
    """The type that the operand of a conversion to `target` must have: its own, if there is such a conversion."""
    numbers = isinstance(target, ir.IntType | ir.FixType) and isinstance(source, ir.IntType | ir.FixType)
    return source if numbers or target == ir.U64 else ir.U64


def _fits(value: int, type: ir.Type) -> bool:
    low, high = raw_range(type)
    return low <= value <= high
