"""The programs of an object: the struct_ops members that they implement, their calls and reads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cpol.compiler.analysis.abi_check.btf import InterfaceError, run
from cpol.compiler.analysis.cost.object import CALL, Function, Insn, Object, ObjectError, read_object
from cpol.compiler.toolchain.clang import llvm

LINK = ".struct_ops.link"

LDX_DW, STX_DW, MOV64 = 0x79, 0x7B, 0xBF
STACK = 10
LOAD_OR_ALU = (0x00, 0x01, 0x04, 0x07)
"""Instruction classes that write their destination register."""


@dataclass(frozen=True)
class Programs:
    """The programs of an object.

    `link` holds the bytes of the struct_ops section. `at` maps offsets in it to programs. `fields`
    are the fields of kernel structs that programs read, as `struct::member.member`.
    """

    object: Object
    link: bytes
    at: dict[int, str]
    fields: frozenset[str]

    def calls(self, program: str) -> Iterator[Insn]:
        """The kernel calls of a program and of the functions that it calls."""
        todo, seen = [program], {program}
        while todo:
            function = self.object.functions[todo.pop()]
            for insn in function.insns.values():
                if insn.op != CALL:
                    continue
                if insn.calls not in self.object.functions:
                    yield insn
                elif insn.calls not in seen:
                    seen.add(insn.calls)
                    todo.append(insn.calls)


def read_programs(path: Path) -> Programs:
    """Read the programs of an object.

    Raises:
        InterfaceError: the object cannot be read.
        ToolError: an LLVM tool is missing.
    """
    try:
        found = read_object(path)
    except ObjectError as error:
        raise InterfaceError(str(error)) from None
    words = ("--elf-output-style=JSON", "--sections", "--section-data", "--relocations")
    try:
        (whole,) = json.loads(run(llvm("llvm-readelf"), *words, str(path)))
        sections = [each["Section"] for each in whole["Sections"]]
        link = next((each for each in sections if each["Name"]["Name"] == LINK), None)
        if link is None:
            return Programs(found, b"", {}, frozenset())
        data = bytes(link["SectionData"]["Bytes"])
        at = dict(_programs(whole, link["Index"], sections))
    except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise InterfaceError(f"llvm-readelf told nothing of use of {path}: {error!r}") from None
    unknown = next((name for name in at.values() if name not in found.functions), None)
    if unknown is not None:
        raise InterfaceError(f"{path}: its struct_ops names {unknown}, which is no program of it")
    listing = run(llvm("llvm-objdump"), "-dr", str(path))
    fields = frozenset(re.findall(r"CO-RE <\w+> \[\d+\] struct (\S+)", listing))
    return Programs(found, data, at, fields)


def _programs(whole: dict[str, Any], index: int, sections: list[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    for group in whole["Relocations"]:
        if sections[group["SectionIndex"]]["Info"] == index:
            for each in group["Relocs"]:
                yield each["Relocation"]["Offset"], each["Relocation"]["Symbol"]["Name"]


def arguments_read(function: Function) -> dict[int, Insn]:
    """The arguments that a program reads: for each number (from 0) an instruction that reads it.

    A struct_ops program gets its arguments as an array of u64 in register 1. The analysis tracks
    copies of that pointer in registers and in stack slots (negative offsets), on every path.
    """
    before: dict[int, frozenset[int]] = {function.entry: frozenset({1})}
    todo, read = [function.entry], dict[int, Insn]()
    while todo:
        insn = function.insns[todo.pop()]
        held = before[insn.at]
        if insn.op & 7 == 1 and insn.src in held and insn.src != STACK:
            read.setdefault(insn.off // 8, insn)
        after = _after(insn, held)
        for slot in insn.next:
            merged = before.get(slot, frozenset()) | after
            if slot in function.insns and (slot not in before or merged != before[slot]):
                before[slot] = merged
                todo.append(slot)
    return read


def _after(insn: Insn, held: frozenset[int]) -> frozenset[int]:
    """The registers and stack slots that hold the pointer after `insn`."""
    if insn.op == CALL:
        return frozenset(each for each in held if not 0 <= each <= 5)
    if insn.op == STX_DW and insn.dst == STACK:
        return held | {insn.off} if insn.src in held else held - {insn.off}
    if insn.op & 7 not in LOAD_OR_ALU:
        return held
    moved = insn.op == MOV64 and insn.src in held
    loaded = insn.op == LDX_DW and insn.src == STACK and insn.off in held
    return held | {insn.dst} if moved or loaded else held - {insn.dst}
