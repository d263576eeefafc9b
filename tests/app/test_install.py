"""`make install` of libcpol: what a C program finds with pkg-config compiles, and links statically and not."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from cpol.compiler.toolchain.clang import clang
from cpol.runtime.operate.app import library

PAGE = library.HERE / "libcpol.3"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    command = ["make", "-C", str(library.HERE), "install", f"PREFIX={folder}", f"BUILD={folder}/build", f"CC={clang()}"]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def example() -> str:
    """Return the program of the manual page."""
    text = PAGE.read_text()
    body = text.split(".SH EXAMPLE\n.nf\n")[1].split(".fi\n")[0].replace("\\en", "\\n")
    return body + "int main(void) { unsigned edges[3] = { 1, 2, 3 }; return tell(edges, 3) != 0; }\n"


@pytest.mark.parametrize("static", [False, True])
def test_the_example_of_the_manual(installed: Path, tmp_path: Path, static: bool) -> None:
    source = tmp_path / "example.c"
    source.write_text(example())
    environment = {**os.environ, "PKG_CONFIG_PATH": f"{installed}/lib/pkgconfig", "LD_LIBRARY_PATH": f"{installed}/lib"}
    words = ["pkg-config", "--cflags", "--libs", "libcpol"]
    flags = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout.split()
    if static:
        flags = [str(installed / "lib" / "libcpol.a") if flag == "-lcpol" else flag for flag in flags]
    program = tmp_path / "example"
    subprocess.run([clang(), "-std=c11", "-Wall", "-Wextra", "-Werror", source, "-o", program, *flags], check=True)
    done = subprocess.run([program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith("the cache is not told: "), done.stderr


def test_the_library_exports_what_the_header_declares(installed: Path) -> None:
    header = re.findall(
        r"\b(cpol_\w+)\(", re.sub(r"/\*.*?\*/", "", (library.HERE / "libcpol.h").read_text(), flags=re.S)
    )
    command = ["nm", "-D", "--defined-only", f"{installed}/lib/libcpol.so"]
    symbols = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    assert {word.split()[-1].split("@")[0] for word in symbols if " T " in word} == set(header)
    for name in header:
        assert f"{name}(" in PAGE.read_text(), name


def test_the_manual_has_no_fault() -> None:
    done = subprocess.run(
        ["man", "--warnings", "-l", str(PAGE)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "LC_ALL": "C"},
    )
    assert not done.stderr and "cpol_array_publish" in done.stdout
