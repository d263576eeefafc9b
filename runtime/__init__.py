"""Four wings: machine, simulate, explore, operate (docs/architecture.md)."""
