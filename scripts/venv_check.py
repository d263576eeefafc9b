"""Check that this Python has every pinned package, and `cpol` from this checkout; if not, exit with code 1."""

import sys
from importlib import metadata, util
from pathlib import Path


def pins(requirements: Path) -> dict[str, str]:
    """Map each `name==version` line's name to its version."""
    lines = (line.partition("#")[0].strip() for line in requirements.read_text().splitlines())
    return {name.strip(): version.strip() for name, _, version in (line.partition("==") for line in lines if line)}


def installed(name: str) -> str:
    """Return the installed version, or an empty string."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def main(root: Path) -> int:
    """Report packages whose installed version is not the pinned one."""
    wrong = [
        f"{name}: {installed(name) or 'missing'}, pinned {version or 'to nothing'}"
        for name, version in pins(root / "requirements.txt").items()
        if installed(name) != version
    ]
    spec = util.find_spec("cpol")
    if spec is None or spec.origin is None or Path(spec.origin).resolve() != root / "src/cpol/__init__.py":
        wrong.append(f"cpol: not from this checkout but {spec and spec.origin}")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
