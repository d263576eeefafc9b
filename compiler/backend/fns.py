"""Writes a policy's functions as C functions."""

from __future__ import annotations

from dataclasses import dataclass

from cpol.compiler import ir
from cpol.compiler.backend import expr, stmt
from cpol.compiler.ir import c_names as names
from cpol.compiler.ir import layout


@dataclass(frozen=True)
class Function:
    """A C function. Calls use `macro`, which passes a folio's record only if the function reads it."""

    macro: str
    type: str
    signature: str
    unused: str
    lets: str
    line: str
    body: str


def function(fn: ir.FnDecl, writer: stmt.Writer) -> Function:
    declared, written, passed, unused = ["cpol_ctx *c"], ["c"], ["c"], ["c"]
    hidden: list[str] = []
    for at, (name, type_) in enumerate(fn.params):
        written.append(f"cpol_{at}")
        passed.append(f"cpol_{at}")
        unused.append(names.identifier(name))
        if type_ is not None:
            given = f"cpol_given_{names.identifier(name)}" if expr.is_hidden(type_) else names.identifier(name)
            if expr.is_hidden(type_):
                hidden.append(f"\tCPOL_HIDE({names.identifier(name)}, {given});")
            declared.append(f"{'u32' if expr.is_hidden(type_) else layout.expression_type(type_)} {given}")
            continue
        declared.append(f"cpol_folio {names.identifier(name)}")
        written.append(f"cpol_record_{at}")
        if at in writer.fns[fn.name]:
            declared.append(f"struct cpol_meta *{expr.record_name(name)}")
            passed.append(f"cpol_record_{at}")
    name = names.identifier(fn.name)
    return Function(
        macro=f"cpol_fn_{name}({', '.join(written)}) cpol_call_{name}({', '.join(passed)})",
        type=layout.expression_type(fn.type),
        signature=f"cpol_call_{name}({', '.join(declared)})",
        unused=", ".join(f"(void){argument}" for argument in unused),
        lets="\n".join([*hidden, *writer.lets(fn)]),
        line=writer.line(fn.pos),
        body=expr.text(fn.body),
    )
