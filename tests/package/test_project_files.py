"""Versions and licences agree across the project's files."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

from build_package import ROOT
from click.testing import CliRunner

import cpol
from cpol.cli.main import cli

GPL_HEADERS = ("bpf*.h", "cache_ext_*.h", "prefetch_ext_*.h", "upstream*.h")


def test_versions_are_well_formed() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", cpol.__version__)
    assert re.fullmatch(r"\d+\.\d+", cpol.LANGUAGE_VERSION)


def test_cpolc_prints_both_versions() -> None:
    said = CliRunner().invoke(cli, ["--version"]).output
    assert said == f"cpolc {cpol.__version__}, language {cpol.LANGUAGE_VERSION}\n"


def test_language_reference_names_the_language_version() -> None:
    reference = (ROOT / "docs" / "language.md").read_text()
    assert f"this page is about {cpol.LANGUAGE_VERSION}." in reference


def test_changelog_has_the_version() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text()
    newest = changes.split("\n## ")[1]
    assert cpol.__version__ in newest
    assert f"language {cpol.LANGUAGE_VERSION}" in newest


def is_gpl(source: Path) -> bool:
    """Return whether LICENSE puts a C file under the GPL."""
    rooms = ("kernel", *(f"runtime/operate/{room}" for room in ("observe", "record", "tracing")))
    is_program = any(source.is_relative_to(ROOT / room) for room in rooms)
    return is_program or any(fnmatch(source.name, name) for name in GPL_HEADERS)


def test_spdx_lines_match_license() -> None:
    sources = [path for folder in ("compiler", "kernel", "runtime") for path in (ROOT / folder).rglob("*.[ch]")]
    named = {path: path.read_text().partition("\n")[0].partition("SPDX-License-Identifier:")[2] for path in sources}
    wrong = [path for path, name in named.items() if ("GPL-2.0" if is_gpl(path) else "MIT") not in name]
    assert not wrong
    assert {is_gpl(path) for path in sources} == {True, False}


def test_license_lists_the_gpl_headers() -> None:
    (line,) = [line for line in (ROOT / "LICENSE").read_text().splitlines() if "runtime/machine/include/cpol/" in line]
    assert line.partition("runtime/machine/include/cpol/: ")[2].split(", ") == list(GPL_HEADERS)
