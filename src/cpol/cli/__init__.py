"""The command line, with one module for each command."""

import gc

# At 700, a short command spends a tenth of its time on searches of what it imports. So this comes before all imports,
# for whoever imports a part of the command line, too.
gc.set_threshold(50_000)
