"""Print the path of libcpol.so, which is built if need be: `python -m cpol.runtime.operate.app`.

With `--output FILE`, it is built as FILE, for a distribution's package.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cpol.compiler.toolchain.process import ToolError
from cpol.runtime.operate.app.build import build
from cpol.runtime.operate.app.errors import LibraryError
from cpol.runtime.operate.app.library import find


def main(words: list[str]) -> int:
    """The exit code."""
    if words and (len(words) != 2 or words[0] != "--output"):
        print("usage: app [--output FILE]", file=sys.stderr)
        return 2
    try:
        if words:
            build(Path(words[1]))
        else:
            print(find())
    except (LibraryError, ToolError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
