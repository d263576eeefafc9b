"""Pages of errors and warnings: an index, and a page for each code, as `cpolc explain` says it."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler.diagnostics.errors import Explanation, registry


def pages() -> Iterator[tuple[str, str]]:
    """The paths of the pages, and their texts."""
    rows = [f"| [{entry.code}]({entry.code}.md) | {_cell(entry.title)} |" for entry in registry().values()]
    head = [
        "# Errors and warnings",
        "",
        "Codes begin with E for errors, with W for warnings, with L for what `cpolc lint` finds.",
        "`cpolc explain CODE` prints the same.",
        "",
        "| code | what is wrong |",
        "| --- | --- |",
    ]
    yield "codes/README.md", "\n".join([*head, *rows]) + "\n"
    for entry in registry().values():
        yield f"codes/{entry.code}.md", page(entry)


def page(entry: Explanation) -> str:
    parts = [f"# {entry.code}: {entry.title}", entry.explanation]
    for word, example in (("Wrong", entry.wrong), ("Right", entry.right)):
        if example:
            where = f", with `--profile {entry.profile}`" if entry.profile else ""
            parts.append(f"{word}{where}:\n\n```cpol\n{example}\n```")
    if entry.help:
        parts.append(f"Help: {entry.help}")
    parts.append("[All codes](README.md)")
    return "\n\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
