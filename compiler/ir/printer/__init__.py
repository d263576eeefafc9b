"""The IR as stable, readable text (`cpolc --emit ir`)."""

from cpol.compiler.ir.printer.policy import dump_ir

__all__ = ["dump_ir"]
