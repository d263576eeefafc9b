"""Puts pages of the checkout, and the files that they link to, where mkdocs reads them, at the same paths.

So links between pages stay as they are. A folder that is linked to gets a page with its files, unless it has one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

LINK = re.compile(r"(?<!`)(\[[^\]]*\]\()([^)\s]+)(\))")
FENCE = re.compile(r"^ *(?:```|~~~)")
NAMED = re.compile(r"^```cpol .*$", re.MULTILINE)
"""A fence that tests of docs write to a file of this name."""

INDENTED = re.compile(r"(?<=\n\n)(?: {4}.*\n|\n(?= {4}))+")
POLICY = re.compile(r"(?:///.*\n)*(?:policy|library) ")
"""How a block begins that is cpol, so that it has colours."""

FIRST = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
"""Pages besides docs/ from which links are followed."""

MAX_BYTES = 1 << 20
"""Of a file that a page links to."""


@dataclass
class Staged:
    """The pages that were staged below `folder`, by their paths, and what else they link to."""

    root: Path
    folder: Path
    pages: dict[str, str] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)

    def add(self, page: str) -> None:
        """A page of the checkout, and those that it links to."""
        if page in self.pages:
            return
        self.pages[page] = ""  # it may be linked to by a page that it links to
        text = (self.root / page).read_text(encoding="utf-8")
        self.pages[page] = coloured(self.followed(text, page))

    def put(self, page: str, text: str) -> None:
        """A page that was made. Its links to pages of the checkout stay as they are."""
        self.pages[page] = text

    def followed(self, text: str, page: str) -> str:
        """The text of a page with links that the site can follow."""
        lines, fenced = [], False
        for line in text.split("\n"):
            fenced ^= FENCE.match(line) is not None
            code = fenced or line.startswith("    ")
            lines.append(line if code else LINK.sub(lambda found: self._link(found, page), line))
        return "\n".join(lines)

    def _link(self, found: re.Match[str], page: str) -> str:
        before, target, after = found.groups()
        name, mark, anchor = target.partition("#")
        if not name or re.match(r"[a-z]+:", name):
            return found[0]
        path = Path(self.root / page).parent / name
        inner = path.resolve()
        if not inner.is_relative_to(self.root) or not inner.exists():
            return found[0]  # mkdocs says so
        own = str(inner.relative_to(self.root))
        if inner.is_dir():
            name = f"{name.rstrip('/')}/README.md"
            own += "/README.md"
            if (self.root / own).is_file():
                self.add(own)
            else:
                self.folders.add(own.removesuffix("/README.md"))
        elif inner.suffix == ".md":
            self.add(own)
        else:
            self.files.add(own)
        return f"{before}{name}{mark}{anchor}{after}"

    def listings(self) -> None:
        """Pages of folders that have none."""
        for folder in sorted(self.folders):
            page = f"{folder}/README.md"
            if page in self.pages:
                continue
            rows = [f"# {folder}", ""]
            for path in sorted((self.root / folder).iterdir()):
                readme = path / "README.md"
                if readme.is_file():
                    self.add(str(readme.relative_to(self.root)))
                    rows.append(f"- [{path.name}]({path.name}/README.md)")
                elif path.is_file() and path.stat().st_size <= MAX_BYTES and not path.name.startswith((".", "__")):
                    self.files.add(str(path.relative_to(self.root)))
                    rows.append(f"- [{path.name}]({path.name})")
            self.put(page, "\n".join(rows) + "\n")

    def write(self) -> None:
        for name, text in self.pages.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for name in sorted(self.files):
            source = self.root / name
            if source.stat().st_size > MAX_BYTES:
                raise ValueError(f"a page links to {name}, which is larger than 1 MiB")
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(source.read_bytes())


def checkout(root: Path, folder: Path) -> Staged:
    """The pages of a checkout, and what they link to. Nothing is written yet."""
    staged = Staged(root, folder)
    for page in (*FIRST, *sorted(str(path.relative_to(root)) for path in (root / "docs").rglob("*.md"))):
        staged.add(page)
    staged.listings()
    return staged


def coloured(text: str) -> str:
    """The text of a page, whose indented policies are fenced: only a fence can name a language."""

    def block(found: re.Match[str]) -> str:
        code = dedent(found[0])
        return f"```cpol\n{code}```\n" if POLICY.match(code) else found[0]

    return NAMED.sub("```cpol", INDENTED.sub(block, text))
