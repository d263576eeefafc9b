"""Write what mkdocs reads: `python -m webpages.build FOLDER` (scripts/site calls it)."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from webpages import accessible, benchmarks, codes, colours, language, policies, railroad
from webpages.order import Entry, ordered
from webpages.staged import Staged, checkout

ROOT = Path(__file__).resolve().parents[2]


def stage(folder: Path) -> Staged:
    """All pages and files of the site, but the playground."""
    staged = checkout(ROOT, folder)
    for page in policies.page_names():
        staged.put(page, policies.widened(page, staged.pages[page]))
    for page, text in codes.pages():
        staged.put(page, text)
    staged.files.add("grammar/Cpol.g4")
    staged.put("grammar/README.md", railroad.page((ROOT / "grammar" / "Cpol.g4").read_text(encoding="utf-8")))
    staged.put("benchmarks/README.md", benchmarks.page(ROOT / "docs" / "measured"))
    return staged


def nav(entries: Sequence[Entry]) -> list[dict[str, object]]:
    """The order as mkdocs has it."""
    return [{title: inner if isinstance(inner, str) else nav(inner)} for title, inner in entries]


def main(target: str) -> None:
    folder = Path(target).resolve()
    pages = folder / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    staged = stage(pages)
    staged.write()
    assets = pages / "assets"
    assets.mkdir()
    shutil.copy(ROOT / "website" / "site.css", assets)
    config = {
        "INHERIT": str(ROOT / "website" / "mkdocs.yml"),
        "docs_dir": str(pages),
        "site_dir": str(folder / "html"),
        "hooks": [accessible.__file__, colours.__file__],
        "extra": {colours.KEY: language.words()},
        "nav": nav(ordered(set(staged.pages))),
    }
    (folder / "mkdocs.yml").write_text(json.dumps(config, indent=1), encoding="utf-8")  # JSON is YAML


if __name__ == "__main__":
    main(*sys.argv[1:])
