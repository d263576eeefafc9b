"""Observe how a cgroup uses the page cache: the object of observe.bpf.c, and the loader that runs it."""

from __future__ import annotations

from pathlib import Path

from cpol.runtime.operate.tracing import Program

PROGRAM = Program("observe", Path(__file__).resolve().parent, "the observer")
