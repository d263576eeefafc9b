"""The order of the pages, as Diátaxis has it: to learn, to do, to look up, to understand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Entry: TypeAlias = "tuple[str, str | Sequence[Entry]]"
"""A title, and a page or the entries below it."""

ORDER: list[Entry] = [
    ("cpol", "README.md"),
    (
        "Tutorials",
        [
            ("From nothing to a tested policy", "docs/tutorial.md"),
            ("A first policy", "examples/first-policy/README.md"),
            ("A file search", "examples/file-search/README.md"),
        ],
    ),
    (
        "How-to",
        [
            ("Cookbook", "docs/cookbook.md"),
            ("Which policy a service wants", "docs/advising.md"),
            ("Simulate", "docs/simulator.md"),
            ("Sweep many traces", "docs/sweeps.md"),
            ("Check", "docs/checking.md"),
            ("Lint", "docs/lint.md"),
            ("Write in an editor", "docs/editor.md"),
            ("Write in a browser", "docs/playground.md"),
            ("Colours for editors", "docs/tree-sitter.md"),
            ("Judge the cost", "docs/cost.md"),
            ("Discover policies", "docs/discovering.md"),
            ("Use it from Python", "docs/python.md"),
            ("Operate", "docs/operating.md"),
            ("Observe a page cache", "docs/observing.md"),
            ("Prefetch", "docs/prefetching.md"),
            ("Do without caching", "docs/uncached.md"),
            ("Cache up to a quota", "docs/quota.md"),
            ("Compare settings of a kernel", "docs/study.md"),
            ("Use Debian's kernel", "docs/stock-kernel.md"),
            ("Do without a kernel part", "docs/user-glue.md"),
            ("Examples", "examples/README.md"),
        ],
    ),
    (
        "Reference",
        [
            ("Language", "docs/language.md"),
            ("Grammar", "grammar/README.md"),
            ("Errors and warnings", "codes/README.md"),
            ("Standard library", "docs/stdlib/README.md"),
            ("Kernel interface", "docs/kernel-interface.md"),
            ("Upstream's interface", "docs/upstream.md"),
            ("Changes", "CHANGELOG.md"),
        ],
    ),
    (
        "Explanation",
        [
            ("Semantics", "docs/semantics.md"),
            ("Architecture", "docs/architecture.md"),
            ("What a policy cannot do", "docs/trust.md"),
            ("The model of prefetching", "docs/prefetch-model.md"),
            ("The kernel side", "kernel/README.md"),
            ("Benchmarks", "benchmarks/README.md"),
            ("What was measured", "docs/measured/README.md"),
        ],
    ),
    (
        "Work on cpol",
        [
            ("Contribute", "CONTRIBUTING.md"),
            ("Develop", "docs/development.md"),
            ("Security", "SECURITY.md"),
        ],
    ),
]

BELOW = {
    "docs/stdlib/README.md": "docs/stdlib/",
    "docs/measured/README.md": "docs/measured/",
    "examples/README.md": "examples/",
    "codes/README.md": "codes/",
}
"""Pages under which all other pages of a folder stand, in the order of their names."""


def ordered(pages: set[str]) -> list[Entry]:
    """The order, with what stands below; pages of no section, which others link to, come last."""
    named = set(_names(ORDER))
    missing = sorted(named - pages)
    if missing:
        raise ValueError(f"website/webpages/order.py names pages that are not there: {', '.join(missing)}")
    left = pages - named
    entries = _below(ORDER, left)
    for folder in BELOW.values():
        left = {page for page in left if not page.startswith(folder)}
    return [*entries, ("More", [(title(page), page) for page in sorted(left)])] if left else entries


def _names(entries: Sequence[Entry]) -> list[str]:
    return [name for _, inner in entries for name in ([inner] if isinstance(inner, str) else _names(inner))]


def _below(entries: Sequence[Entry], left: set[str]) -> list[Entry]:
    made: list[Entry] = []
    for name, inner in entries:
        if not isinstance(inner, str):
            made.append((name, _below(inner, left)))
        elif inner in BELOW:
            pages = sorted(page for page in left if page.startswith(BELOW[inner]))
            made.append((name, [("Overview", inner), *((title(page), page) for page in pages)]))
        else:
            made.append((name, inner))
    return made


def title(page: str) -> str:
    """What the navigation calls a page: its name, or that of its folder."""
    *folders, name = page.removesuffix(".md").split("/")
    return folders[-1] if name == "README" and folders else name
