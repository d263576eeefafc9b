"""python -m hostile: see `python -m hostile --help`."""

import sys

from .cli import main

sys.exit(main())
