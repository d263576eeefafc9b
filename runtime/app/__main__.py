"""Print the path of libcpol.so, which is built if need be: `python -m cpol.runtime.app`."""

from __future__ import annotations

import sys

from cpol.runtime.app.library import LibraryError, find


def main() -> int:
    """The exit code."""
    try:
        print(find())
    except LibraryError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
