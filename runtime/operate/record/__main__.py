"""Build the recorder's object for a distribution's package: `python -m cpol.runtime.operate.record --output FILE`."""

from __future__ import annotations

import sys
from pathlib import Path

from cpol.compiler.toolchain.process import ToolError
from cpol.runtime.operate.record import build


def main(words: list[str]) -> int:
    """The exit code."""
    if len(words) != 2 or words[0] != "--output":
        print("usage: record --output FILE", file=sys.stderr)
        return 2
    try:
        build(Path(words[1]))
    except ToolError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
