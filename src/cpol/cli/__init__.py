"""The command line, with one module for each command."""

import gc

gc.set_threshold(50_000)  # at 700, a short command spends a tenth of its time on searches of what it imports
