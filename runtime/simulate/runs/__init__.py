"""Runs of policies on a trace, beside one another: what `cpolc sim` computes."""
