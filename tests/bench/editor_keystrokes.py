"""What a keystroke takes in `cpolc lsp`: a line is typed into a policy, letter by letter, and taken away again.

An editor sends the text, waits for what is wrong with it, then asks what may be written next, as while a word is typed,
and then for all else that VS Code asks after a letter.
Of the policies of the standard library, the largest ones are measured; each text in between has wrong syntax or not.
"""

from __future__ import annotations

import asyncio
import json
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from editor_client import Editor, edit
from lsprotocol import types

from cpol.compiler.diagnostics import CompileError
from cpol.compiler.policies import STDLIB
from cpol.compiler.stages import run

ROOT = Path(__file__).resolve().parents[2]
JSON = ROOT / "docs" / "measured" / "editor.json"
PAGE = JSON.with_suffix(".md")
LINE = "    if cache.size > 2 * cache.capacity / 3 { let most = max(cache.size, 7) }\n"
POLICIES = ("graph", "lecar", "wtinylfu_adaptive", "mglru", "fifo")
"""The largest by their text; the one whose compilation takes longest, with three imports; the smallest."""
ROUNDS = 3
READ = 2
"""Seconds between opening a policy and the first letter."""


def texts(text: str) -> Iterator[tuple[str, types.Position]]:
    """The text with more and more of the line in `on evict`, then with less and less, and the place behind that."""
    at = text.index("\n", text.index("on evict")) + 1
    line = text[:at].count("\n")
    for count in [*range(1, len(LINE)), *range(len(LINE) - 2, 0, -1)]:
        yield text[:at] + LINE[:count] + "\n" + text[at:], types.Position(line, count)


def compile_time(text: str, path: str) -> float:
    """What the whole compiler takes for the text, in ms of the processor."""
    best = []
    for _ in range(5):
        began = time.process_time()
        run(text, path)
        best.append(time.process_time() - began)
    return statistics.median(best) * 1e3


class Clock:
    """What passed, and what of it the server had a processor for: others may have work for the machine, too."""

    def __init__(self, editor: Editor) -> None:
        server = editor.client._server
        assert server is not None
        self.file = Path(f"/proc/{server.pid}/schedstat")
        self.at = self.now()

    def now(self) -> tuple[float, float]:
        return time.perf_counter() * 1e3, int(self.file.read_text().split()[0]) / 1e6

    def took(self) -> tuple[float, float]:
        """Milliseconds since the last look."""
        before, self.at = self.at, self.now()
        return self.at[0] - before[0], self.at[1] - before[1]


KINDS = {
    "right": "errors, right syntax",
    "wrong": "errors, wrong syntax",
    "completion": "completion",
    "all": "all that VS Code asks",
}

Times = dict[str, list[tuple[float, float]]]


def rest(editor: Editor, name: str, text: str, where: types.Position) -> list[Awaitable[Any]]:
    """What VS Code asks after a letter besides completion, without waiting for one answer after the other."""
    client, document = editor.client, editor.document(name)
    last = types.Position(text.count("\n"), 0)
    here = types.Range(where, where)
    return [
        client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(document)),
        client.text_document_inlay_hint_async(types.InlayHintParams(document, types.Range(types.Position(0, 0), last))),
        client.text_document_code_lens_async(types.CodeLensParams(document)),
        client.text_document_document_symbol_async(types.DocumentSymbolParams(document)),
        client.text_document_folding_range_async(types.FoldingRangeParams(document)),
        client.text_document_document_highlight_async(types.DocumentHighlightParams(document, where)),
        client.text_document_code_action_async(types.CodeActionParams(document, here, types.CodeActionContext([]))),
    ]


async def measure(editor: Editor, name: str, rounds: int) -> Times:
    text = (STDLIB / name).read_text(encoding="utf-8")
    await editor.open(name, text)
    await asyncio.sleep(READ)
    times: Times = {kind: [] for kind in KINDS}
    clock = Clock(editor)
    for _ in range(rounds):
        for new, where in texts(text):
            clock.took()
            found = await editor.change(name, new)
            wrong = any(each.severity == types.DiagnosticSeverity.Error for each in found)
            errors = clock.took()
            await editor.client.text_document_completion_async(types.CompletionParams(editor.document(name), where))
            completion = clock.took()
            await asyncio.gather(*rest(editor, name, new, where))
            others = clock.took()
            times["wrong" if wrong else "right"].append(errors)
            times["completion"].append(completion)
            times["all"].append((errors[0] + completion[0] + others[0], errors[1] + completion[1] + others[1]))
    return times


def row(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "median": round(statistics.median(ordered), 1),
        "p95": round(ordered[int(len(ordered) * 0.95)], 1),
        "most": round(ordered[-1], 1),
    }


def page(facts: dict[str, Any]) -> str:
    """docs/measured/editor.md with these figures."""
    rows = []
    for policy, measured in facts["policies"].items():
        for kind, what in KINDS.items():
            found = measured[kind]
            processor, passed = (" / ".join(map(str, found[each].values())) for each in ("processor", "passed"))
            whole = measured["whole"] if kind in ("right", "wrong") else ""
            rows.append(f"| `{policy}` | {what} | {found['count']} | {processor} | {passed} | {whole} |")
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition("| --- | --- | --- | --- | --- | --- |\n")
    behind = rest[rest.index("\n\n") :]
    text = f"{before}| --- | --- | --- | --- | --- | --- |\n" + "\n".join(rows) + behind
    text = re.sub(r"Python [0-9.]+,", f"Python {facts['python']},", text)
    return re.sub(r"at commit [0-9a-f]{8}", f"at commit {facts['commit']}", text)


def main() -> None:
    if "--docs" in sys.argv:
        PAGE.write_text(page(json.loads(JSON.read_text(encoding="utf-8"))), encoding="utf-8")
        return
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    rows: dict[str, object] = {}
    print(f"{'policy':<20}{'syntax':<12}count  milliseconds: median, 95 %, most")
    for policy in POLICIES:
        path = STDLIB / f"{policy}.cpol"
        text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            took = edit(Path(folder), partial(measure, name=path.name, rounds=rounds))
        try:
            whole = round(compile_time(text, str(path)), 1)
        except CompileError:
            raise SystemExit(f"{path} has errors") from None
        measured = {
            kind: {
                "count": len(times),
                "passed": row([passed for passed, _ in times]),
                "processor": row([used for _, used in times]),
            }
            for kind, times in took.items()
        }
        rows[policy] = {"bytes": len(text), "whole": whole, **measured}
        for kind, each in measured.items():
            shown = "  ".join(
                f"{name} {' '.join(map(str, each[name].values())):<22}" for name in ("passed", "processor")
            )
            print(f"{policy:<20}{kind:<12}{each['count']:>5}  {shown}")
        print(f"{policy:<20}all anew: {whole} ms")
    commit = subprocess.run(
        ("git", "rev-parse", "--short=8", "HEAD"), cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    facts: dict[str, Any] = {
        "commit": commit,
        "machine": platform.machine(),
        "python": platform.python_version(),
        "policies": rows,
    }
    JSON.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    PAGE.write_text(page(facts), encoding="utf-8")


if __name__ == "__main__":
    main()
