"""Fixtures of the tests of trials, `cpolc apply` and `cpolc metrics`."""

from apply_world import tree
from metrics_world import fake_loader
from trial_world import start, world

__all__ = ["fake_loader", "start", "tree", "world"]
