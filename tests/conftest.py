"""For all tests."""

from __future__ import annotations

import signal

# A shell starts its background jobs so that they ignore SIGINT, and their children with them. Tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)
