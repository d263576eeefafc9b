"""The Python interface: policies, traces, runs, curves, checks, and the interpreter step by step.

`import cpol` has these names (docs/python.md). The command line prints what the same functions of the runtime return.
"""

from cpol.api.advice import Advised, advise
from cpol.api.checks import Checked, check
from cpol.api.curves import Curve, mrc
from cpol.api.machine import Machine, Step
from cpol.api.policy import Policy
from cpol.api.runs import Runs, simulate
from cpol.api.sweeps import Swept, sweep
from cpol.api.trace import Trace
from cpol.api.tuning import Tuned, tune
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.toolchain.process import ToolError
from cpol.errors import UserError
from cpol.runtime.machine.errors import MachineError
from cpol.runtime.machine.native import SimulationError
from cpol.runtime.simulate.traces import TraceError

__all__ = [
    "Advised",
    "Checked",
    "CompileError",
    "Curve",
    "Machine",
    "MachineError",
    "Policy",
    "Runs",
    "SimulationError",
    "Step",
    "Swept",
    "ToolError",
    "Trace",
    "TraceError",
    "Tuned",
    "UserError",
    "advise",
    "check",
    "mrc",
    "simulate",
    "sweep",
    "tune",
]
