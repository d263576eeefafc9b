"""Packaging: `pyproject.toml` describes the package; this file makes each build start clean.

`src/cpol/` holds the command line and a relative link to each top-level folder that is part of the package
(`src/cpol/compiler -> ../../compiler`). Builds follow the links, so a wheel and an sdist hold real folders.
"""

import shutil
from pathlib import Path

from setuptools import setup

# setuptools ships what an earlier build left behind: modules since moved, files no longer named as package data.
ROOT = Path(__file__).resolve().parent
shutil.rmtree(ROOT / "build" / "lib", ignore_errors=True)
(ROOT / "src" / "cpol.egg-info" / "SOURCES.txt").unlink(missing_ok=True)

setup()
