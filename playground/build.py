"""Make the playground: one page, with all that it needs in it. `scripts/playground` calls this.

python playground/build.py NPM OUTPUT    NPM is the folder with node_modules
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import antlr4
from webassembly import modules

from cpol.compiler.doc.summary import summary
from cpol.compiler.policies import stdlib_names
from cpol.grammar.generated.CpolLexer import CpolLexer
from cpol.version import __version__

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "playground" / "page"
SOURCE = ROOT / "src" / "cpol"

PACKED = (
    "__init__.py", "version.py", "errors.py", "printable.py", "sizes.py", "compiler", "grammar", "stdlib",
    "runtime/__init__.py", "runtime/machine/__init__.py", "runtime/machine/errors.py", "runtime/machine/events",
    "runtime/machine/interp", "runtime/machine/settings", "runtime/explore/__init__.py", "runtime/explore/check",
    "runtime/explore/step",
)  # fmt: skip
"""What of the package `cpol` the page has: all that the bridge imports, and no native code."""

TARGET = "es2022"


def files() -> Iterator[tuple[str, Path]]:
    """The names of the files that Python sees in the browser, and where they are here."""
    for part in PACKED:
        path = SOURCE / part
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.suffix in (".py", ".toml", ".cpol"):
                yield f"cpol/{file.relative_to(SOURCE)}", file
    for folder, name in ((Path(antlr4.__file__).parent, "antlr4"), (ROOT / "playground" / "bridge", "bridge")):
        for file in sorted(folder.rglob("*.py")):
            yield f"{name}/{file.relative_to(folder)}", file


def archive(native: Path) -> bytes:
    """These files, and native code, which is made in the folder `native`. The same files make the same bytes."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, path in (*files(), *((f"native/{name}.wasm", path) for name, path in modules(native))):
            data = path.read_bytes()
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def precompiled(npm: Path) -> bytes:
    """The archive with compiled modules in the place of sources."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cpol.tar"
        path.write_bytes(archive(Path(folder)))
        subprocess.run(["node", ROOT / "playground" / "precompile.mjs", npm, path], check=True)
        return path.read_bytes()


def bundle(npm: Path, name: str) -> str:
    """A script with all that it imports."""
    command = [
        npm / "node_modules" / ".bin" / "esbuild", PAGE / name, "--bundle", "--minify", "--format=iife",
        f"--target={TARGET}", "--charset=utf8",
        '--define:import.meta.url="https://pyodide.invalid/"', "--external:node:*",
        "--external:fs", "--external:path", "--external:url", "--external:vm", "--external:ws", "--external:crypto",
        "--external:child_process", "--external:module", "--log-level=error",
    ]  # fmt: skip
    environment = {**os.environ, "NODE_PATH": str(npm / "node_modules")}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def words() -> list[str]:
    """The words of the language, from the grammar."""
    return sorted({name.strip("'") for name in CpolLexer.literalNames if name.strip("'").isidentifier()})


def facts(npm: Path) -> dict[str, Any]:
    """What the page knows before cpol has started."""
    names = stdlib_names()
    paths = {name: ROOT / "stdlib" / f"{name}.cpol" for name in names}
    lock = json.loads((npm / "node_modules" / "pyodide" / "pyodide-lock.json").read_text(encoding="utf-8"))
    return {
        "words": words(),
        "policies": {
            name: {"summary": summary(path), "text": path.read_text(encoding="utf-8")} for name, path in paths.items()
        },
        "first": (SOURCE / "cli" / "new.cpol").read_text(encoding="utf-8"),
        "lock": {"info": lock["info"], "packages": {}},
    }


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def page(npm: Path) -> str:
    """The page. A closing tag of a script cannot be in it by chance: JSON has its `<` escaped."""
    pyodide = npm / "node_modules" / "pyodide"
    parts = {
        "STYLE": (PAGE / "style.css").read_text(encoding="utf-8"),
        "VERSION": __version__,
        "WORKER": encoded(bundle(npm, "worker.js").encode()),
        "WASM": encoded(gzip.compress((pyodide / "pyodide.asm.wasm").read_bytes(), mtime=0)),
        "STDLIB": encoded((pyodide / "python_stdlib.zip").read_bytes()),
        "CPOL": encoded(gzip.compress(precompiled(npm), mtime=0)),
        "FACTS": json.dumps(facts(npm)).replace("<", "\\u003c"),
        "SCRIPT": bundle(npm, "main.js"),
    }
    assert "</script" not in parts["SCRIPT"].lower()
    return re.sub(r"@([A-Z]+)@", lambda found: parts[found[1]], (PAGE / "index.html").read_text(encoding="utf-8"))


def main(npm: str, output: str) -> None:
    made = page(Path(npm))
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    Path(output).write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
