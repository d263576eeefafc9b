from cpol.compiler.diagnostics import Diagnostic


def render(d: Diagnostic, color: bool) -> str:
    pos = d.source.pos(d.span.start) if d.span else None
    return f"{d.severity.value}[{d.code}]: {d.message}\n --> {d.source.path}:{pos}\n {d.label}\n {d.why}\n {d.help}"
