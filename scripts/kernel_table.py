#!/usr/bin/env python3
"""The table of kernels: what each cell of scripts/test-kernels came to, and what the documentation says of it.

kernel_table.py note FILE KEY=VALUE...     write a cell
kernel_table.py same FILE MODULE           fail unless the cell passed with this build of the module
kernel_table.py report FOLDER RELEASE...   write kernels.json and kernels.md there; fail if a cell fails that should not
kernel_table.py keep [FOLDER]              put these cells into docs/measured/releases.json, and write the table anew
kernel_table.py table [--check]            write the table of docs/stock-kernel.md anew; --check only compares
"""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
FOLDER: Final = ROOT / "build" / "test-kernels"
KEPT: Final = ROOT / "docs" / "measured" / "releases.json"
PAGE: Final = ROOT / "docs" / "stock-kernel.md"
CHECK: Final = ROOT / "kernel" / "module" / "compat" / "check.c"
BEGIN: Final = "<!-- kernels: made from docs/measured/releases.json by scripts/kernel_table.py -->"
END: Final = "<!-- end of kernels -->"

CELLS: Final = {
    "builds": "builds",
    "loads": "loads",
    "selftests": "selftests",
    "prefetching": "of prefetching",
    "stdlib": "stdlib under pressure",
    "hostile": "200 hostile programs",
    "operating": "operating walk",
    "dkms": "DKMS",
}
"""The columns in their order, as scripts/test-kernels names them, and their titles."""
PASS: Final = "pass"
CANNOT: Final = "cannot"
RESULTS: Final = (PASS, "fail", CANNOT)
KEYS: Final = ("result", "figures", "why", "seconds", "commit", "date", "module", "machine", "untried")
"""What a cell says. `module` is the hash of its build; `untried`: it was built with UNTRIED=1."""

Cell = dict[str, str]
Kernels = dict[str, dict[str, Cell]]
"""Cells by release and column."""


def main(words: list[str]) -> int:
    match words:
        case ["note", file, *pairs]:
            note(Path(file), pairs)
        case ["same", file, module]:
            return int(not same(Path(file), module))
        case ["report", folder, *releases] if releases:
            return report(Path(folder), releases)
        case ["keep", *folder] if len(folder) <= 1:
            keep(Path(*folder) if folder else FOLDER)
        case ["table"]:
            PAGE.write_text(with_table(PAGE.read_text()))
        case ["table", "--check"]:
            if PAGE.read_text() != with_table(PAGE.read_text()):
                print(f"error: {PAGE} is stale: run scripts/kernel_table.py table", file=sys.stderr)
                return 1
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


def note(file: Path, pairs: Iterable[str]) -> None:
    cell = dict(pair.split("=", 1) for pair in pairs)
    assert set(cell) == set(KEYS) and cell["result"] in RESULTS, cell
    file.write_text(json.dumps(cell, indent=1) + "\n")


def same(file: Path, module: str) -> bool:
    if not file.exists():
        return False
    cell = json.loads(file.read_text())
    return bool(cell["result"] == PASS and cell["module"] == module)


def report(folder: Path, releases: list[str]) -> int:
    """Write the tables of what was run on the releases. Return 1 if a cell that is said to work did not pass."""
    found = cells_of(folder, releases)
    (folder / "kernels.json").write_text(as_json(found))
    (folder / "kernels.md").write_text(table(found))
    print(table(found), end="")
    kept = read(KEPT)
    broken = [
        f"{release}: {CELLS[name]}: {cell['result']}: {cell['why']}"
        for release, cells in found.items()
        for name, cell in cells.items()
        if cell["result"] != PASS and is_promised(kept, release, name, cell)
    ]
    for line in broken:
        print(f"error: {line}", file=sys.stderr)
    return int(bool(broken))


def cells_of(folder: Path, releases: Iterable[str]) -> Kernels:
    """What was run of each release, in the order of the columns."""
    files = {release: {name: folder / release / f"{name}.json" for name in CELLS} for release in releases}
    return {
        release: {name: json.loads(file.read_text()) for name, file in cells.items() if file.exists()}
        for release, cells in files.items()
    }


def is_promised(kept: Kernels, release: str, name: str, cell: Cell) -> bool:
    """Whether the cell is said to work.

    On series that the module is for all are, but those that cannot be tried; on others, those that passed there once.
    """
    if series(release) in tried():
        return cell["result"] != CANNOT or name == "builds"
    of_series = (cells for other, cells in kept.items() if series(other) == series(release))
    return any(name in cells and cells[name]["result"] == PASS for cells in of_series)


def series(release: str) -> str:
    found = re.match(r"\d+\.\d+", release)
    assert found, release
    return found[0]


def tried() -> set[str]:
    """The series that compat/check.c accepts."""
    (line,) = (line for line in CHECK.read_text().splitlines() if line.startswith("#if !IS_SERIES"))
    return {".".join(pair) for pair in re.findall(r"IS_SERIES\((\d+), (\d+)\)", line)}


def keep(folder: Path) -> None:
    """Put cells that were run in place of those that were kept, and a release in place of older ones of its kind."""
    new: Kernels = json.loads((folder / "kernels.json").read_text())
    kept = {release: cells for release, cells in read(KEPT).items() if not any(_follows(one, release) for one in new)}
    for release, cells in new.items():
        kept[release] = {**kept.get(release, {}), **cells}
    KEPT.write_text(as_json(dict(sorted(kept.items(), key=lambda entry: _order(entry[0])))))
    PAGE.write_text(with_table(PAGE.read_text()))


def _kind(release: str) -> tuple[str, str]:
    """The series, and what follows the number: the Debian and the flavour."""
    return series(release), re.sub(r"^[\d.]+", "", release)


def _order(release: str) -> tuple[tuple[int, ...], str]:
    number = re.match(r"[\d.]+", release)
    assert number, release
    return tuple(int(part) for part in number[0].strip(".").split(".")), release


def _follows(new: str, old: str) -> bool:
    return _kind(new) == _kind(old) and _order(new) > _order(old)


def read(file: Path) -> Kernels:
    found: Kernels = json.loads(file.read_text()) if file.exists() else {}
    return found


def as_json(kernels: Kernels) -> str:
    return json.dumps(kernels, indent=1) + "\n"


def table(kernels: Kernels) -> str:
    """The table in Markdown, and where and at which commits it was measured."""
    head = f"| kernel | {' | '.join(CELLS.values())} |\n|{' --- |' * (len(CELLS) + 1)}\n"
    rows = ""
    for release, cells in kernels.items():
        build = _build(cells.get("builds"))
        title = f"{release} (untried)" if any(cell["untried"] for cell in cells.values()) else release
        rows += f"| {title} | {' | '.join(_shown(cells.get(name), build) for name in CELLS)} |\n"
    if not kernels:
        return "Nothing is measured yet.\n"
    every = [cell for cells in kernels.values() for cell in cells.values()]
    commits = sorted({(cell["date"], cell["commit"]) for cell in every})
    machines = sorted({cell["machine"] for cell in every})
    where = [f"- **Commits:** {', '.join(f'at {commit} ({date})' for date, commit in commits)}."]
    where += [f"- **Machine:** {'; '.join(machines)}."]
    if any(cell["untried"] for cell in every):
        where += ["- **(untried):** the module builds there with `UNTRIED=1` alone."]
    return f"{head}{rows}\n" + "".join(f"{_wrapped(line)}\n" for line in where)


def _build(cell: Cell | None) -> str:
    return "" if cell is None else cell["module"].partition(" ")[0]


def _shown(cell: Cell | None, build: str) -> str:
    """The text of a cell. One that is of an older build of the module than the kernel's last names its commit."""
    if cell is None:
        return "not run"
    words = cell["result"] if cell["result"] != "fail" else "**fail**"
    older = f"at {cell['commit']}" if build and _build(cell) != build else ""
    said = "; ".join(text for text in (cell["figures"], cell["why"], older) if text)
    return f"{words}{f': {said}' if said else ''}".replace("|", "\\|")


def _wrapped(line: str) -> str:
    return textwrap.fill(line, 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def with_table(page: str) -> str:
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    assert before and after, f"{PAGE} has no place for the table"
    return f"{before}{BEGIN}\n\n{table(read(KEPT))}\n{END}{after}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
