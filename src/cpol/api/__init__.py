"""The Python interface: policies, traces, runs, curves, checks, and the interpreter step by step.

`import cpol` has these names (docs/python.md). The command line prints what the same functions of the runtime return.
"""

from cpol.api.checks import Checked, check
from cpol.api.curves import Curve, mrc
from cpol.api.machine import Machine, Step
from cpol.api.policy import Policy
from cpol.api.runs import Runs, simulate
from cpol.api.trace import Trace
from cpol.api.tuning import Tuned, tune

__all__ = [
    "Checked",
    "Curve",
    "Machine",
    "Policy",
    "Runs",
    "Step",
    "Trace",
    "Tuned",
    "check",
    "mrc",
    "simulate",
    "tune",
]
