"""What a keystroke takes in `cpolc lsp`: a line is typed into a policy, letter by letter, and taken away again.

An editor sends the text, waits for what is wrong with it, then asks what may be written next, as while a word is typed.
Of the policies of the standard library, the largest ones are measured; each text in between has wrong syntax or not.
"""

from __future__ import annotations

import asyncio
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from editor_client import Editor, edit
from lsprotocol import types

from cpol.compiler.diagnostics import CompileError
from cpol.compiler.policies import STDLIB
from cpol.compiler.stages import run

ROOT = Path(__file__).resolve().parents[2]
JSON = ROOT / "docs" / "measured" / "editor.json"
LINE = "    if cache.size > 2 * cache.capacity / 3 { let most = max(cache.size, 7) }\n"
POLICIES = ("graph", "lecar", "wtinylfu_adaptive", "mglru", "fifo")
"""The largest by their text; the one whose compilation takes longest, with three imports; the smallest."""
ROUNDS = 3


def texts(text: str) -> Iterator[tuple[str, types.Position]]:
    """The text with more and more of the line in `on evict`, then with less and less, and the place behind that."""
    at = text.index("\n", text.index("on evict")) + 1
    line = text[:at].count("\n")
    for count in [*range(1, len(LINE)), *range(len(LINE) - 2, 0, -1)]:
        yield text[:at] + LINE[:count] + "\n" + text[at:], types.Position(line, count)


def compile_time(text: str, path: str) -> float:
    """What the whole compiler takes for the text, in ms."""
    best = []
    for _ in range(5):
        began = time.perf_counter()
        run(text, path)
        best.append(time.perf_counter() - began)
    return statistics.median(best) * 1e3


async def measure(editor: Editor, name: str, rounds: int) -> dict[str, list[float]]:
    text = (STDLIB / name).read_text(encoding="utf-8")
    await editor.open(name, text)
    took: dict[str, list[float]] = {"right": [], "wrong": [], "completion": []}
    for _ in range(rounds):
        for new, where in texts(text):
            began = time.perf_counter()
            found = await editor.change(name, new)
            wrong = any(each.severity == types.DiagnosticSeverity.Error for each in found)
            took["wrong" if wrong else "right"].append((time.perf_counter() - began) * 1e3)
            began = time.perf_counter()
            await editor.client.text_document_completion_async(types.CompletionParams(editor.document(name), where))
            took["completion"].append((time.perf_counter() - began) * 1e3)
            await asyncio.sleep(0)
    return took


def row(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "count": len(ordered),
        "median": round(statistics.median(ordered), 1),
        "p95": round(ordered[int(len(ordered) * 0.95)], 1),
        "most": round(ordered[-1], 1),
    }


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    rows: dict[str, object] = {}
    print(f"{'policy':<20}{'words':>7}  {'ms: median, 95 %, most':<36}")
    for policy in POLICIES:
        path = STDLIB / f"{policy}.cpol"
        text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            took = edit(Path(folder), lambda editor, name=path.name: measure(editor, name, rounds))  # type: ignore[misc]
        try:
            whole = round(compile_time(text, str(path)), 1)
        except CompileError:
            raise SystemExit(f"{path} has errors") from None
        rows[policy] = {"bytes": len(text), "whole": whole, **{kind: row(times) for kind, times in took.items()}}
        shown = ", ".join(
            f"{kind} {row(times)['median']} {row(times)['p95']} {row(times)['most']}" for kind, times in took.items()
        )
        print(f"{policy:<20}{len(text.split()):>7}  {shown}; all anew {whole}")
    commit = subprocess.run(
        ("git", "rev-parse", "--short=8", "HEAD"), cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    facts = {"commit": commit, "machine": platform.machine(), "python": platform.python_version(), "policies": rows}
    JSON.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
