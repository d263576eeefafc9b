"""For all tests."""

from __future__ import annotations

import signal

# A shell starts its background jobs so that they ignore SIGINT, and nohup a command that ignores SIGHUP, and their
# children do so with them. Tests send both.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
