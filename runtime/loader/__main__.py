"""Print the path of the loader's program, which is built if need be: `python -m cpol.runtime.loader [--VARIANT]`."""

from __future__ import annotations

import sys

from cpol.runtime.loader.program import VARIANTS, LoaderError, find


def main(words: list[str]) -> int:
    """The exit code."""
    options = {f"--{variant}" if variant else "": variant for variant in VARIANTS}
    option = words[0] if words else ""
    if len(words) > 1 or option not in options:
        print(f"usage: build [{' | '.join(filter(None, options))}]", file=sys.stderr)
        return 2
    try:
        print(find(options[option]))
    except LoaderError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
