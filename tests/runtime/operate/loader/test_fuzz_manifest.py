"""What the loader accepts of an object's manifest, it can read again once it is pinned: `set` and `input` need it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from loader_types import Build

from cpol.runtime.operate.loader import program

pytestmark = pytest.mark.slow

CORPUS = Path(__file__).parent / "corpus" / "manifest"
MAX_MANIFEST = 256 * 1024


@pytest.fixture(scope="module")
def fuzz(build: Build) -> Path:
    units = (path.stem for path in program.HERE.glob("manifest/manifest*.c") if path.stem != "manifest_elf")
    return build("fuzz_manifest", (*units, "formula", "util", "values"))


def run(fuzz: Path, *words: str | Path) -> str:
    """Return what it prints; a manifest that cannot be read back, or a sanitizer's report, fails."""
    done = subprocess.run(
        [fuzz, *words], cwd=fuzz.parent, capture_output=True, text=True, errors="replace", check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stderr


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_kept_manifests(fuzz: Path, path: Path) -> None:
    run(fuzz, path)


def test_changed_manifests(fuzz: Path, tmp_path: Path) -> None:
    """`make fuzz` goes on for longer."""
    run(fuzz, "-runs=3000", "-seed=1", "-max_len=1000", "-verbosity=0", "-close_fd_mask=2", tmp_path, CORPUS)


def test_type_with_leading_zeros(fuzz: Path) -> None:
    assert "line 2: the type of param n is unknown" in run(fuzz, CORPUS / "type-with-zeros")


def manifest_of(size: int) -> bytes:
    """Return a manifest of so many bytes: states with long types."""
    text = b"cpol 1 p\n"
    members = b"".join(b":m%d" % number for number in range(64))
    while len(text) < size:
        number = len(text)
        line = b"state s%d enum%s %d 1\n" % (number, members.replace(b":m", b":" + 55 * b"m"), number)
        if size - len(text) < 2 * len(line):  # the last one fills the rest
            line = b"state s%d u8 %d 1\n" % (number, number)
            if size - len(text) < 80:
                line = line.replace(b" u8", b"x" * (size - len(text) - len(line)) + b" u8")
        text += line
    assert len(text) == size
    return text


@pytest.mark.long
@pytest.mark.parametrize(("less", "pinned"), [(0, False), (20, False), (100, True)])
def test_greatest_length(fuzz: Path, tmp_path: Path, less: int, pinned: bool) -> None:
    """The loader adds lines to what it pins. If the text then is too long to be read, it attaches nothing."""
    path = tmp_path / "long"
    path.write_bytes(manifest_of(MAX_MANIFEST - less))
    assert ("bytes once it is attached, and the most is 262144" in run(fuzz, path)) != pinned
