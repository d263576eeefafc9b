"""Find the code blocks of the documentation, and run its consoles.

```cpol            a policy, or declarations of one: compiled, and its tests run
```cpol FILE       compiled, and written to FILE for the consoles below it, which run its tests
```console         commands after `$ `, and their output with errors; `…` matches anything, on its own line any
                   number of lines; a last line `[N]` is the exit code, if it is not 0
```console vm      the same, on a kernel with cache_ext (tests/vm/test_docs.py)
```python          runs, one after the other (tests/api/test_api.py)
```                a figure or a form: no code
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])


@dataclass(frozen=True)
class Block:
    """A fenced block: `info` is the text after the opening fence, `line` the fence's line number."""

    page: Path
    line: int
    info: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def words(self) -> list[str]:
        return self.info.split()


@dataclass(frozen=True)
class Step:
    command: str
    output: str
    code: int
    place: str


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page; an unclosed fence is an error."""
    found: list[Block] = []
    start, fence, info, lines = 0, "", "", list[str]()
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        mark = re.match(r"(`{3,})([^`]*)$", line)
        if not fence and mark:
            start, fence, info, lines = number, mark[1], mark[2].strip(), []
        elif fence and line.strip() == fence:
            found.append(Block(page, start, info, "".join(f"{text}\n" for text in lines)))
            fence = ""
        elif fence:
            lines.append(line)
    assert not fence, f"{page}:{start}: unclosed code block"
    return found


def steps(block: Block) -> list[Step]:
    """Return the commands of a console block."""
    found: list[Step] = []
    for number, line in enumerate(block.text.splitlines(), block.line + 1):
        place = f"{block.page.relative_to(ROOT)}:{number}"
        if line.startswith("$ "):
            found.append(Step(line[2:], "", 0, place))
        else:
            assert found, f"{place}: a console starts with `$ COMMAND`"
            last = found.pop()
            code = re.fullmatch(r"\[(\d+)\]", line)
            output = last.output if code else f"{last.output}{line}\n"
            found.append(Step(last.command, output, int(code[1]) if code else 0, last.place))
    return found


def matches(expected: str, actual: str) -> bool:
    """Return whether `actual` matches what the page shows."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n"
        for line in expected.splitlines()
    )
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in actual.splitlines())) is not None
