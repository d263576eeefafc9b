"""Files with the entries of an array: read from files and pipes, and refused if a line is more than a number."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from loader_types import Build


@pytest.fixture(scope="module")
def program(build: Build) -> Path:
    return build("read_array")


def read(program: Path, content: bytes, size: int = 4, *format: str) -> subprocess.CompletedProcess[str]:
    """What the loader reads from a pipe."""
    command = [str(program), "/dev/stdin", str(size), *format]
    done = subprocess.run(command, input=content, capture_output=True, check=False, timeout=60)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


def test_a_pipe_is_read_from_its_beginning(program: Path) -> None:
    content = b"".join(b"%d\n" % (1000000000 + i) for i in range(400))
    assert read(program, content).stdout.encode() == content
    packed = b"".join(i.to_bytes(8, "little") for i in range(400))
    assert read(program, packed, 8).stdout.split() == [str(i) for i in range(400)]


def test_a_file_is_read_as_a_pipe_is(program: Path, tmp_path: Path) -> None:
    path = tmp_path / "degrees"
    path.write_bytes(b" 7\r\n8 \t\n9")
    assert subprocess.run([program, path, "4"], capture_output=True, check=True).stdout == b"7\n8\n9\n"
    assert read(program, path.read_bytes()).stdout == "7\n8\n9\n"
    assert read(program, b"").stdout == ""
    assert read(program, b"\xef\xbb\xbf7\n8\n").stdout == "7\n8\n"  # as some editors write it


@pytest.mark.parametrize(
    ("content", "size", "line", "why"),
    [
        (b"7 8 9\n", 4, 1, "not `7 8 9`"),
        (b"1\n2,\n3\n", 1, 2, "not `2,`"),
        (b"1\n\n3\n", 1, 2, "not ``"),
        (b"abcd", 4, 1, "not `abcd`"),
        (b"1\n" + b"2" * 90, 4, 2, "not `22222222222222222222...`"),
    ],
)
def test_text_that_is_no_list_of_numbers_is_refused(
    program: Path, content: bytes, size: int, line: int, why: str
) -> None:
    done = read(program, content, size)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"/dev/stdin:{line}: an entry of degree must be" in done.stderr and why in done.stderr
    assert "--format binary" in done.stderr.splitlines()[1]


def test_text_has_no_nul(program: Path) -> None:
    done = read(program, b"5\x006\n", 4, "text")
    assert done.returncode == 1
    assert "/dev/stdin:1: an entry of degree must be text, and the line has a NUL byte" in done.stderr


def test_printable_bytes_are_read_as_binary_if_the_format_says_so(program: Path) -> None:
    assert read(program, b"1,2", 1, "binary").stdout.split() == ["49", "44", "50"]


def test_what_is_too_large_is_refused(program: Path) -> None:
    assert "has more than the 400 entries of degree" in read(program, b"1\n" * 401).stderr
    assert "has more than the 400 entries of degree" in read(program, bytes(1604)).stderr
    done = subprocess.run([program, "/dev/zero", "8"], capture_output=True, text=True, check=False, timeout=60)
    assert "/dev/zero has more than 25600 bytes, 64 for each entry of degree" in done.stderr
