"""The options of the series: mm compiles without any extension, and with each one left out.

`kernel/build-kernel --objects --without=OPTION` compiles mm, with the cores, and what else the patches change. It fails
at a warning there, and if the configuration does not take an option's value.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORES = ("policy_ext", "cache_ext", "prefetch_ext")
# policy_ext has no option of its own.
OPTION = {core: core.upper() for core in CORES} | {"policy_ext": "CACHE_EXT"}
OPTIONS = re.findall(
    r"^config (CACHE_EXT_(?!DEBUG$)\w+)$", (ROOT / "kernel/cache_ext/Kconfig").read_text(), re.MULTILINE
)
CASES = [
    pytest.param((*OPTIONS, "PREFETCH_EXT"), id="no extension"),
    pytest.param(("PREFETCH_EXT",), id="no prefetching"),
    pytest.param(("CACHE_EXT", *OPTIONS, "PREFETCH_EXT"), id="neither core"),
    # Prefetching needs pins.
    *(
        pytest.param((name, "PREFETCH_EXT") if name == "CACHE_EXT_PIN" else (name,), id=f"no {name}")
        for name in OPTIONS
    ),
]

pytestmark = pytest.mark.long


def made_of(makefile: Path, options: set[str]) -> set[str]:
    """Return the objects that a core's Makefile asks for."""
    found = set()
    text = makefile.read_text().replace("\\\n", " ")
    for option, names in re.findall(r"^\w+-(y|\$\(CONFIG_\w+\)) [+:]= (.+)$", text, re.MULTILINE):
        if option == "y" or option[len("$(CONFIG_") : -1] in options:
            found |= set(names.split())
    return found - {f"{core}.o" for core in CORES}


def test_what_a_makefile_asks_for() -> None:
    makefile = ROOT / "kernel/cache_ext/Makefile"
    with_ticks = made_of(makefile, {"CACHE_EXT", "CACHE_EXT_TICK"})
    assert {"type.o", "glue_patched.o", "tick.o"} <= with_ticks
    assert with_ticks - made_of(makefile, {"CACHE_EXT"}) == {"tick.o"}


@pytest.mark.parametrize("without", CASES)
def test_compiles_without(without: tuple[str, ...]) -> None:
    command = [
        str(ROOT / "kernel/build-kernel"),
        "--objects",
        *(f"--without={name}" for name in without),
    ]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result = Path(done.stdout.strip())
    config = (result / "config").read_text()
    options = {*re.findall(r"^CONFIG_((?:CACHE|PREFETCH)_EXT\w*)=y$", config, re.MULTILINE)}
    assert options == {"CACHE_EXT", *OPTIONS, "PREFETCH_EXT"} - {*without}
    objects = (result / "objects").read_text().split()
    assert any(name.endswith("vmscan.o") for name in objects)
    for core in CORES:
        compiled = {Path(name).name for name in objects if Path(name).parent.name == core}
        wanted = made_of(ROOT / "kernel" / core / "Makefile", options) if OPTION[core] in options else set()
        assert compiled == wanted
