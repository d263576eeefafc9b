"""Golden files of the compiler's tests. `make generate` regenerates them."""

from __future__ import annotations

from pathlib import Path

from cpol.compiler import stages
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.diagnostics.errors import registry
from cpol.compiler.diagnostics.render import render as render_diagnostic
from cpol.compiler.lint.page import page as lint_page

from .language_tables import with_tables

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STDLIB = sorted((ROOT / "stdlib").glob("*.cpol"))
WRONG = sorted((HERE / "wrong").glob("*.cpol"))
WHOLE = sorted((HERE / "whole").glob("*.cpol"))
"""Policies that use the whole language."""
GOLDEN = HERE / "golden"
LANGUAGE = ROOT / "docs" / "language.md"
LINT = ROOT / "docs" / "lint.md"


def diagnostics_of(path: Path) -> str:
    """Return the compiler's output for a file, with the file's name instead of its path."""
    try:
        compiled = stages.run(stages.read_file(path), path.name)
        return "".join(render_diagnostic(warning) + "\n\n" for warning in compiled.warnings)
    except CompileError as error:
        return (error.render() + "\n").replace(str(path), path.name)


def golden() -> dict[str, str]:
    """Return the dumps of some stdlib policies and of those that use the whole language, by file name."""
    dumps = {}
    for path in (*(ROOT / "stdlib" / f"{name}.cpol" for name in ("fifo", "lfu", "mru", "s3fifo")), *WHOLE):
        compiled = stages.run_file(path)
        dumps[f"{path.stem}.ast"] = stages.dump_ast(compiled)
        dumps[f"{path.stem}.ir"] = stages.dump_ir(compiled.policy)
    return dumps


def reference() -> str:
    """Return docs/language.md with the current words and codes."""
    text, mark, _ = with_tables(LANGUAGE.read_text(encoding="utf-8")).partition("<!-- codes")
    line = f"{mark}: made from compiler/diagnostics/errors.toml by `make generate` -->"
    rows = [f"| {entry.code} | {entry.title} |" for entry in registry().values() if entry.code[0] != "L"]
    return text + "\n".join([line, "", "| code | says |", "| --- | --- |", *rows]) + "\n"


def regenerate() -> None:
    GOLDEN.mkdir(exist_ok=True)
    for old in [*GOLDEN.iterdir(), *(HERE / "wrong").glob("*.expected")]:
        old.unlink()
    for name, text in golden().items():
        (GOLDEN / name).write_text(text, encoding="utf-8")
    for path in WRONG:
        path.with_suffix(".expected").write_text(diagnostics_of(path), encoding="utf-8")
    LANGUAGE.write_text(reference(), encoding="utf-8")
    LINT.write_text(lint_page(), encoding="utf-8")


if __name__ == "__main__":
    regenerate()
