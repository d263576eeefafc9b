"""The virtual machine that runs the patched kernel: one command, in the host's own tree, with its exit code."""

from cpol.kernel.vm.disk import Disk
from cpol.kernel.vm.errors import VmBootError, VmError, VmInterrupted, VmTimeout
from cpol.kernel.vm.machine import Machine, run

__all__ = ["Disk", "Machine", "VmBootError", "VmError", "VmInterrupted", "VmTimeout", "run"]
