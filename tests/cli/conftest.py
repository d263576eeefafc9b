"""Fixtures of the tests of trials."""

from trial_world import start, world

__all__ = ["start", "world"]
