"""Files that are replaced when all of their new contents are there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from cpol.compiler.toolchain.files import replacing, write_atomically


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_it_is_there_at_the_end_and_not_before(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"before")
    with replacing(out) as file:
        file.write(b"after")
        file.flush()
        assert out.read_bytes() == b"before"
        (beside,) = set(tmp_path.iterdir()) - {out}
        assert beside.read_bytes() == b"after" and not beside.is_symlink()
    assert out.read_bytes() == b"after" and list(tmp_path.iterdir()) == [out]


def test_an_exception_leaves_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for there in ([], [out]):
        with pytest.raises(KeyboardInterrupt), replacing(out) as file:
            file.write(b"half")
            raise KeyboardInterrupt
        assert list(tmp_path.iterdir()) == there
        out.write_bytes(b"before")
    assert out.read_bytes() == b"before"


def test_permissions_are_those_of_the_old_file_or_of_the_umask(tmp_path: Path) -> None:
    out = tmp_path / "out"
    umask = os.umask(0o027)
    try:
        write_atomically(out, b"new")
        assert mode(out) == 0o640
        out.chmod(0o604)
        write_atomically(out, b"again")
        assert mode(out) == 0o604
    finally:
        os.umask(umask)


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    other, out = tmp_path / "other", tmp_path / "out"
    other.write_bytes(b"kept")
    other.chmod(0o600)
    for target in (other, tmp_path / "nowhere"):
        out.unlink(missing_ok=True)
        out.symlink_to(target)
        write_atomically(out, b"new")
        assert not out.is_symlink() and out.read_bytes() == b"new" and other.read_bytes() == b"kept"
        assert not (tmp_path / "nowhere").exists() and mode(out) & 0o044


def test_pipes_and_descriptors_are_written_in_place(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with replacing(pipe) as file:
        file.write(b"row")
        file.flush()
        assert os.read(reader, 9) == b"row"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    out = tmp_path / "out"
    with out.open("wb") as opened:
        for place in ("/dev/fd", "/proc/self/fd"):
            write_atomically(Path(f"{place}/{opened.fileno()}"), place.encode())
            assert os.path.samestat(os.fstat(opened.fileno()), out.stat()) and out.read_bytes() == place.encode()
