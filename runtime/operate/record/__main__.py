"""Build the recorder's object for a distribution's package: `python -m cpol.runtime.operate.record --output FILE`."""

from __future__ import annotations

import sys

from cpol.runtime.operate.record import PROGRAM

if __name__ == "__main__":
    sys.exit(PROGRAM.main(sys.argv[1:]))
