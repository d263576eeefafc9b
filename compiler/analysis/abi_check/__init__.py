"""Checks an object against a kernel's interface, without that kernel.

btf.py         types of an object, read by bpftool
described.py   the interface: a header beside the profile, compiled to BTF
programs.py    what an object's programs implement, call and read
violations.py  compares the two
"""

from cpol.compiler.analysis.abi_check.btf import InterfaceError
from cpol.compiler.analysis.abi_check.violations import find_violations

__all__ = ["InterfaceError", "find_violations"]
