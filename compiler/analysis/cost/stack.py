"""The stack of a program and what it calls, as the verifier counts it."""

from __future__ import annotations

from cpol.compiler.analysis.cost.object import Function, Object

FRAME = 16
"""The verifier rounds stack frames up to a multiple of these bytes, for a JIT compiler (round_up_stack_depth)."""


def stack(function: Function, obj: Object) -> int:
    """Stack bytes of the deepest call chain."""
    own, called = 0, 0
    frame: dict[int, int] = {10: 0}
    for insn in function.insns.values():
        kind = insn.op & 7
        if kind in (1, 2, 3):
            pointer = insn.src if kind == 1 else insn.dst
            if pointer in frame:
                own = max(own, -(frame[pointer] + insn.off))
        if insn.op == 0xBF and insn.src in frame:
            frame[insn.dst] = frame[insn.src]
        elif insn.op == 0x07 and insn.dst in frame:
            frame[insn.dst] += insn.imm
            own = max(own, -frame[insn.dst])
        elif kind in (0, 1, 4, 7) and insn.dst != 10:
            frame.pop(insn.dst, None)
        if insn.calls in obj.functions:
            called = max(called, stack(obj.functions[insn.calls], obj))
    return -(-max(own, 1) // FRAME) * FRAME + called


def deepest_call(function: Function, obj: Object) -> int:
    """The line of the policy with the call that needs most stack; of the policy's first one if it is in a library."""
    own = [insn for insn in function.insns.values() if insn.line.isdecimal()]
    calls = [insn for insn in own if insn.calls in obj.functions]
    deepest = max(calls, key=lambda insn: stack(obj.functions[insn.calls], obj), default=own[0] if own else None)
    return int(deepest.line) if deepest is not None else 0
