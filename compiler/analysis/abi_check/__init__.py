"""Whether an object keeps to a kernel's interface, told without that kernel.

btf.py        types of an object, as bpftool reads them, and as text
described.py  the interface: the header beside a profile, compiled to BTF
programs.py   what the object's programs are, call, and read of their arguments
violations.py the two held against each other
"""

from cpol.compiler.analysis.abi_check.btf import InterfaceError
from cpol.compiler.analysis.abi_check.violations import breaches

__all__ = ["InterfaceError", "breaches"]
