"""Build the observer's object for a distribution's package: `python -m cpol.runtime.operate.observe --output FILE`."""

from __future__ import annotations

import sys

from cpol.runtime.operate.observe import PROGRAM

if __name__ == "__main__":
    sys.exit(PROGRAM.main(sys.argv[1:]))
