"""Interpreter and C compute the same for random expressions and boundary values of every type.

One shared object holds many expressions. Inputs are params; outputs are states, and fields of a folio's packed record.
"""

from __future__ import annotations

import random

import pytest
from effort import SEED, THOROUGH, generator
from random_expr import WIDTHS, Expressions, Names, any_type, some_value

from cpol.compiler import ir
from cpol.compiler.ir import BOOL, FIX, S64, U64, IntType
from cpol.compiler.types import raw_range
from cpol.runtime.machine.events import Op, Row
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp.explain import text
from cpol.runtime.machine.native import EventSimulator

POS = ir.Pos(1, 1)
LISTS = ir.EnumType("list", ("none", "queue"))
EXPRESSIONS = 150
INPUTS = 150
FIELD_BITS = 300  # a record has 512; padding takes some


def param(name: str, type: ir.Type) -> ir.ParamDecl:
    low, high = raw_range(type)
    return ir.ParamDecl(name, type, 0, low, high, "", POS)


def made_policy(rng: random.Random) -> ir.Policy:
    """Return a policy whose `added` computes every expression from the params, earlier states and fields."""
    types: list[ir.Type] = [U64, U64, S64, S64, FIX, FIX, BOOL, ir.REASON]
    types += [IntType(signed, bits) for signed in (False, True) for bits in rng.sample(WIDTHS, 5)]
    params = [param(f"p{number}", type) for number, type in enumerate(types)]
    expressions = Expressions(rng)
    states: list[ir.VarDecl] = []
    fields: list[ir.VarDecl] = []
    body: list[ir.Stmt] = [ir.Place("f", ir.End.TAIL, ir.ListRef("queue"), POS)]
    bits = 0
    for number in range(EXPRESSIONS):
        names = Names(LISTS, params, states[-4:], fields[-2:], folios=["f"])
        type = any_type(rng, LISTS)
        value = expressions.stored(type, names, rng.randint(1, 4))
        width = type.bits if isinstance(type, IntType) else 64
        if rng.random() < 0.3 and bits + width <= FIELD_BITS:
            bits += width
            fields.append(ir.VarDecl(f"f{number}", type, some_value(rng, type), POS))
            body.append(ir.SetField("f", f"f{number}", value, POS))
        else:
            states.append(ir.VarDecl(f"s{number}", type, some_value(rng, type), POS))
            body.append(ir.SetState(f"s{number}", value, POS))
    return ir.Policy(
        name="expressions",
        doc="",
        path="expressions.cpol",
        params=tuple(params),
        states=tuple(states),
        lists=("queue",),
        ghosts=(),
        fields=tuple(fields),
        scores=(),
        handlers={
            "added": ir.Handler("added", "f", None, tuple(body), POS),
            "evict": ir.Handler(
                "evict",
                None,
                None,
                (ir.Scan(ir.ListRef("queue"), ir.End.HEAD, None, "f", (ir.Evict("f", ir.End.TAIL, POS),), POS),),
                POS,
            ),
        },
    )


@pytest.mark.long
@pytest.mark.parametrize("number", range(2 * THOROUGH))
def test_interpreter_and_c_compute_the_same(number):
    rng = generator("expressions", number)
    policy = made_policy(rng)
    for _ in range(INPUTS):
        given = {param.name: some_value(rng, param.type) for param in policy.params}
        capacity = rng.choice([1, 7, 2**32, 2**48])
        added = Row(Op.ADDED, some_value(rng, U64), some_value(rng, U64), rng.choice([1, 2, 512]))
        machine = Machine(policy, capacity, given)
        machine.added(added.file, added.page, added.a)
        native = EventSimulator(policy, capacity, given)
        native.event(added)
        dump = native.dump()
        [folio] = machine.lists["queue"]
        ours = {**machine.state, **folio.fields}
        theirs = {**dump.state, **dump.lists["queue"][0].fields}
        if ours != theirs:
            pytest.fail(describe(policy, given, capacity, added, ours, theirs, number))


def describe(
    policy: ir.Policy,
    given: dict[str, int],
    capacity: int,
    added: Row,
    ours: dict[str, int],
    theirs: dict[str, int],
    number: int,
) -> str:
    """Describe the first expression that differs; later ones may read its result."""
    for statement in policy.handlers["added"].body:
        if isinstance(statement, ir.SetState | ir.SetField) and ours[statement.name] != theirs[statement.name]:
            declarations = [*policy.states, *policy.fields]
            type = next(decl.type for decl in declarations if decl.name == statement.name)
            reads = {name: value for name, value in {**ours, **given}.items() if name in text(statement.value)}
            return (
                f"{statement.name}: {type} = {text(statement.value)}\n{statement.value}\n"
                f"the interpreter computes {ours[statement.name]}, the simulator {theirs[statement.name]}\n"
                f"with {reads}, capacity {capacity}, {added}\n"
                f"again: CPOL_SEED={SEED} CPOL_THOROUGH={THOROUGH} pytest tests/property/test_arithmetic_agrees.py "
                f"-k 'same[{number}]'"
            )
    return "the outputs differ, but no expression does"
