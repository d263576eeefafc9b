"""Damaged object files: the loader reports the fault and reads nothing outside of the file."""

from __future__ import annotations

import re
import struct
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from loader_types import Build, Loader

from cpol.compiler.toolchain.clang import clang

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
MALFORMED = "truncated or malformed"
NOT_BPF = "not a BPF object"


@dataclass
class Elf:
    """An object's bytes, with access to ELF fields."""

    content: bytearray

    @property
    def header(self) -> tuple[int, ...]:
        return HEADER.unpack_from(self.content)

    def put_header(self, field: int, value: int | bytes) -> None:
        fields = [*self.header]
        fields[field] = value
        HEADER.pack_into(self.content, 0, *fields)

    def manifest_section(self) -> int:
        """Return the offset of the section header of `.cpol`."""
        table, names = self.header[6], self.header[13]
        strings = SECTION.unpack_from(self.content, table + names * SECTION.size)[4]
        for number in range(self.header[12]):
            place = table + number * SECTION.size
            name = strings + SECTION.unpack_from(self.content, place)[0]
            if self.content[name : name + 6] == b".cpol\0":
                return place
        raise AssertionError("the object has no manifest")

    def put_section(self, place: int, field: int, value: int) -> None:
        fields = [*SECTION.unpack_from(self.content, place)]
        fields[field] = value
        SECTION.pack_into(self.content, place, *fields)


def header(field: int, value: int) -> Callable[[Elf], None]:
    return lambda elf: elf.put_header(field, value)


def manifest(field: int, value: int) -> Callable[[Elf], None]:
    return lambda elf: elf.put_section(elf.manifest_section(), field, value)


def identity(place: int, value: int) -> Callable[[Elf], None]:
    def change(elf: Elf) -> None:
        elf.content[place] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(identity(4, 1), NOT_BPF, id="32 bits"),
        pytest.param(identity(5, 2), NOT_BPF + "|other byte order", id="the other byte order's mark only"),
        pytest.param(header(1, 2), NOT_BPF, id="an executable"),
        pytest.param(header(2, 62), NOT_BPF, id="x86-64"),
        pytest.param(header(6, 0), "no section .cpol", id="no section table"),
        pytest.param(header(6, 1 << 40), MALFORMED, id="a section table behind the end"),
        pytest.param(header(6, 2**64 - 64), MALFORMED, id="a section table that wraps"),
        pytest.param(header(12, 0), MALFORMED, id="no sections"),
        pytest.param(header(12, 0xFEFF), MALFORMED, id="more sections than fit"),
        pytest.param(header(13, 0xFEFF), MALFORMED, id="names in a section that is not there"),
        pytest.param(manifest(0, 0xFFFFFFFF), "no section .cpol", id="a name behind the names"),
        pytest.param(manifest(1, 8), "no section .cpol", id="a manifest without bytes in the file"),
        pytest.param(manifest(4, 1 << 40), MALFORMED, id="a manifest behind the end"),
        pytest.param(manifest(4, 2**64 - 8), MALFORMED, id="a manifest that wraps"),
        pytest.param(manifest(5, 1 << 40), MALFORMED, id="a manifest that is too long for the file"),
        pytest.param(manifest(5, 2**64 - 8), MALFORMED, id="a manifest whose length wraps"),
        pytest.param(manifest(5, 0), "it is empty", id="an empty manifest"),
    ],
)
def test_fault_is_reported(
    loader: Loader, objects: Path, tmp_path: Path, change: Callable[[Elf], None], message: str
) -> None:
    elf = Elf(bytearray((objects / "fifo.bpf.o").read_bytes()))
    change(elf)
    path = tmp_path / "damaged.bpf.o"
    path.write_bytes(elf.content)
    done = loader("attach", path, "/nowhere")
    assert done.returncode == 1
    assert re.search(message, done.stderr), done.stderr


def test_object_of_the_other_byte_order(loader: Loader, tmp_path: Path) -> None:
    path = tmp_path / "other.bpf.o"
    subprocess.run([clang(), "-target", "bpfeb", "-c", "-x", "c", "-", "-o", str(path)], input=b"int x;", check=True)
    assert "for machines of the other byte order" in loader("attach", path, "/nowhere").stderr


@pytest.mark.long
def test_random_damage(build: Build, objects: Path) -> None:
    read_damaged = build("read_damaged")
    done = subprocess.run(
        [str(read_damaged), str(objects / "s3fifo.bpf.o"), "20000"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    counts = re.fullmatch(r"(\d+) read, (\d+) refused\n", done.stdout)
    assert counts and min(map(int, counts.groups())) > 1000, done.stdout


HOSTILE = """
struct { int (*type)[1]; int (*evil_name_of_a_field)[1]; } maps __attribute__((section(".maps"), used));
const char manifest[] __attribute__((section(".cpol"), used)) = "cpol 1 p\\nlists q\\nmeta 0\\n";
"""


@pytest.mark.long
def test_libbpf_messages_are_escaped(build: Build, tmp_path: Path) -> None:
    open_object = build("open_object")
    path = tmp_path / "hostile.bpf.o"
    compile_bpf = [clang(), "-target", "bpf", "-g", "-O2", "-c", "-x", "c", "-", "-o", str(path)]
    subprocess.run(compile_bpf, input=HOSTILE.encode(), check=True)
    content = path.read_bytes()
    assert b"evil_name_of" in content
    path.write_bytes(content.replace(b"evil_name_of", b"\x1b]0;title\x07__"))
    for words in ([], ["-v"]):
        done = subprocess.run([open_object, *words, path], capture_output=True, text=True, check=False)
        assert done.returncode == 1, done.stderr
        assert r"unknown field '\x1b]0;title\x07___a_field'" in done.stderr
        assert "\x1b" not in done.stderr and all(line.isprintable() for line in done.stderr.splitlines())
