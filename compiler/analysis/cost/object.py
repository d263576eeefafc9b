"""Reads functions, instructions, calls and line numbers of a BPF object.

It reads ELF64 (little-endian) and the line table of .BTF.ext (Linux, Documentation/bpf/btf.rst).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

from cpol.compiler.ir.c_names import PREFIX

CALL, EXIT, LD_IMM64 = 0x85, 0x95, 0x18
JUMP_CLASSES = (0x05, 0x06)
PSEUDO_CALL = 1
SLOTS = f"cpol_ghost_slots__{PREFIX}"


class ObjectError(Exception):
    """The file is not an object that cpolc made. The message says why."""


@dataclass(frozen=True)
class Insn:
    """An instruction. `at` is its slot (8 bytes) in the section.

    `target` is the slot of a jump, `calls` the name of the callee.
    """

    at: int
    op: int
    dst: int
    src: int
    off: int
    imm: int
    size: int = 1
    target: int | None = None
    calls: str = ""
    line: str = ""  # as in c_names.line_mark; "" for other files than .cpol

    @property
    def is_jump(self) -> bool:
        return self.op & 7 in JUMP_CLASSES and self.op not in (CALL, EXIT)

    @property
    def is_conditional(self) -> bool:
        return self.is_jump and self.op & 0xF0 != 0

    @property
    def next(self) -> tuple[int, ...]:
        """The slots that can follow."""
        if self.op == EXIT:
            return ()
        after = self.at + self.size
        if not self.is_jump or self.target is None:
            return (after,)
        return (after, self.target) if self.is_conditional else (self.target,)


@dataclass
class Function:
    """A function of the object. `member` is the struct_ops member that it implements, or empty."""

    name: str
    section: str
    is_global: bool
    insns: dict[int, Insn] = field(default_factory=dict)
    entry: int = 0

    @property
    def member(self) -> str:
        kind, _, member = self.section.partition("/")
        return member if kind.startswith("struct_ops") else ""


@dataclass
class Object:
    functions: dict[str, Function]
    slots: dict[str, int]
    """Bytes of a slot, by ghost name."""


@dataclass(frozen=True)
class _Section:
    name: str
    index: int
    type: int
    info: int
    data: bytes


def read_object(path: Path) -> Object:
    """Read a BPF object.

    Raises:
        ObjectError: cpolc did not make the file.
        OSError: it cannot be read.
    """
    try:
        return _Reader(path.read_bytes()).object()
    except (struct.error, IndexError, KeyError, UnicodeDecodeError) as error:
        raise ObjectError(f"{path} is not an object that cpolc made ({error!r}); compile the policy again") from None


def _string(data: bytes, offset: int) -> str:
    return data[offset : data.index(0, offset)].decode()


class _Reader:
    def __init__(self, data: bytes) -> None:
        if data[:6] != b"\x7fELF\x02\x01":
            raise IndexError("no 64-bit little-endian ELF")
        (offset,) = struct.unpack_from("<Q", data, 0x28)
        size, count, names = struct.unpack_from("<HHH", data, 0x3A)
        heads = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
        texts = data[heads[names][4] : heads[names][4] + heads[names][5]]
        self.sections = [
            _Section(_string(texts, h[0]), i, h[1], h[7], b"" if h[1] == 8 else data[h[4] : h[4] + h[5]])
            for i, h in enumerate(heads)
        ]
        self.by_name = {section.name: section for section in self.sections}
        self.symbols = self._symbols()

    def _symbols(self) -> list[tuple[str, int, int, int, int]]:
        """The symbols as (name, info, section, value, size)."""
        names = self.by_name[".strtab"].data
        found = struct.iter_unpack("<IBBHQQ", self.by_name[".symtab"].data)
        return [(_string(names, name), info, shndx, value, size) for name, info, _, shndx, value, size in found]

    def object(self) -> Object:
        functions: dict[str, Function] = {}
        code: dict[int, dict[int, Insn]] = {}
        for name, info, shndx, value, size in self.symbols:
            if info & 15 != 2 or shndx == 0:
                continue
            section = self.sections[shndx]
            if shndx not in code:
                code[shndx] = self._code(section)
            start = value // 8
            insns = {at: insn for at, insn in code[shndx].items() if start <= at < start + size // 8}
            functions[name] = Function(name, section.name, info >> 4 != 0, insns, start)
        slots = {name.removeprefix(SLOTS): size for name, _, _, _, size in self.symbols if name.startswith(SLOTS)}
        return Object(functions, slots)

    def _code(self, section: _Section) -> dict[int, Insn]:
        calls = self._calls(section)
        lines = self._lines(section.name)
        insns: dict[int, Insn] = {}
        at, line = 0, ""
        while at * 8 < len(section.data):
            op, registers, off, imm = struct.unpack_from("<BBhi", section.data, at * 8)
            line = lines.get(at, line)
            target = None
            if op & 7 in JUMP_CLASSES and op not in (CALL, EXIT):
                target = at + 1 + (imm if op == 0x06 else off)
            size = 2 if op == LD_IMM64 else 1
            name = calls.get(at, f"helper {imm}") if op == CALL else ""
            insns[at] = Insn(at, op, registers & 15, registers >> 4, off, imm, size, target, name, line)
            at += size
        return insns

    def _calls(self, section: _Section) -> dict[int, str]:
        """The callees by slot, from relocations."""
        found = {}
        at_value = {(shndx, value): name for name, info, shndx, value, _ in self.symbols if info & 15 == 2}
        for relocations in self.sections:
            if relocations.type != 9 or relocations.info != section.index:
                continue
            for offset, info in struct.iter_unpack("<QQ", relocations.data):
                name, kind, shndx, value, _ = self.symbols[info >> 32]
                if section.data[offset] == CALL:
                    imm = struct.unpack_from("<i", section.data, offset + 4)[0]
                    found[offset // 8] = at_value[shndx, value + (imm + 1) * 8] if kind & 15 == 3 else name
        return found

    def _lines(self, section: str) -> dict[int, str]:
        """Lines of .cpol files by the first slot of each; "" for other files."""
        btf, ext = self.by_name[".BTF"].data, self.by_name[".BTF.ext"].data
        head, _, _, text, length = struct.unpack_from("<IIIII", btf, 4)
        strings = btf[head + text : head + text + length]
        (head,) = struct.unpack_from("<I", ext, 4)
        start, size = struct.unpack_from("<II", ext, 16)
        table = ext[head + start : head + start + size]
        (record,) = struct.unpack_from("<I", table, 0)
        offset, found = 4, dict[int, str]()
        while offset < len(table):
            name, count = struct.unpack_from("<II", table, offset)
            offset += 8
            for i in range(count):
                at, file, _, where = struct.unpack_from("<IIII", table, offset + i * record)
                if _string(strings, name) == section:
                    found[at // 8] = _mark(Path(_string(strings, file)), where >> 10)
            offset += count * record
        return found


def _mark(file: Path, line: int) -> str:
    if file.suffix != ".cpol":
        return ""
    return f"{file.name}:{line}" if file.parent.name == "lib" else str(line)
