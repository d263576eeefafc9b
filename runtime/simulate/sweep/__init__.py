"""Runs many policies on many traces, here or on a cluster, and keeps a row of each run."""
