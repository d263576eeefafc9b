"""Runs one command in a virtual machine with the patched kernel and the host's file tree, and returns its exit code."""

from cpol.kernel.vm.disk import Disk
from cpol.kernel.vm.errors import VmBootError, VmError, VmInterrupted, VmTimeout
from cpol.kernel.vm.machine import Machine, run

__all__ = ["Disk", "Machine", "VmBootError", "VmError", "VmInterrupted", "VmTimeout", "run"]
