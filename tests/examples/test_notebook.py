"""The notebooks of examples/notebook run from their first cell to the last."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "notebook"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
RUN = """
import json, sys
import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
code = [cell for cell in notebook.cells if cell.cell_type == "code"]
print(json.dumps([[list(out.get("data", {})) for out in cell.outputs] for cell in code]))
"""


def test_all_are_known() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["first-policy", "s3fifo"]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUN, path], cwd=tmp_path, capture_output=True, text=True, timeout=400, check=False
    )
    assert done.returncode == 0, done.stderr[-4000:]
    shown = [kinds for cell in json.loads(done.stdout) for kinds in cell]
    assert any("text/html" in kinds for kinds in shown)
    assert path.stem != "first-policy" or any("image/png" in kinds for kinds in shown)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_nothing_that_ran_is_kept(path: Path) -> None:
    """Outputs would be of another version."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells)
