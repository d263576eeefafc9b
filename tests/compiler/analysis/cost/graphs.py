"""Build control flow graphs as the object reader returns them."""

from __future__ import annotations

from cpol.compiler.analysis.cost.object import CALL, EXIT, Function, Insn, Object

NOP = 0xBF  # r1 = r1
JUMP, JUMP_IF_R5 = 0x05, 0x15


def function(*code: tuple[str, object] | str, name: str = "main", section: str = "struct_ops/evict_folios") -> Function:
    """`nop`, `exit`, ("goto", slot), ("if", slot), ("call", name), ("mov", n), ("add", n), ("if_not", (n, slot))."""
    insns = {}
    for at, item in enumerate(code):
        word, value = item if isinstance(item, tuple) else (item, None)
        insns[at] = _insn(at, word, value)
    return Function(name, section, True, insns, 0)


def _insn(at: int, word: str, value: object) -> Insn:
    match word, value:
        case "nop", _:
            return Insn(at, NOP, 1, 1, 0, 0)
        case "exit", _:
            return Insn(at, EXIT, 0, 0, 0, 0)
        case "goto", int(target):
            return Insn(at, JUMP, 0, 0, target - at - 1, 0, target=target)
        case "if", int(target):
            return Insn(at, JUMP_IF_R5, 5, 0, target - at - 1, 7, target=target)
        case "if_not", (int(n), int(target)):
            return Insn(at, 0x55, 6, 0, target - at - 1, n, target=target)
        case "mov", int(n):
            return Insn(at, 0xB7, 6, 0, 0, n)
        case "add", int(n):
            return Insn(at, 0x07, 6, 0, 0, n)
        case "call", (str(called), int(line)):
            return Insn(at, CALL, 0, 1, 0, -1, calls=called, line=str(line))
        case "store", int(offset):
            return Insn(at, 0x7B, 10, 1, offset, 0)
    raise AssertionError((word, value))


def objects(*functions: Function) -> Object:
    return Object({item.name: item for item in functions}, {})
