"""`cpolc sim`: its options, what it refuses, its notes and its tables. runtime/simulate/runs computes."""

from cpol.cli.sim.command import command

__all__ = ["command"]
