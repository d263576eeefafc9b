"""Print the path of the loader's program, built if need be: `python -m cpol.runtime.operate.loader [--VARIANT]`.

With `--output FILE`, it is built as FILE, for a distribution's package.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cpol.compiler.toolchain.process import ToolError
from cpol.runtime.operate.loader.program import VARIANTS, LoaderError, build, find


def main(words: list[str]) -> int:
    """The exit code."""
    options = {f"--{variant}" if variant else "": variant for variant in VARIANTS}
    output = len(words) == 2 and words[0] == "--output"
    option = words[0] if words else ""
    if not output and (len(words) > 1 or option not in options):
        print(f"usage: build [{' | '.join(filter(None, options))} | --output FILE]", file=sys.stderr)
        return 2
    try:
        if output:
            build(Path(words[1]))
        else:
            print(find(options[option]))
    except (LoaderError, ToolError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
