"""Fixtures of the tests of trials, and of `cpolc apply`."""

from apply_world import tree
from trial_world import start, world

__all__ = ["start", "tree", "world"]
