"""Packaging: the Python package `cpol`, whose parts keep their top-level folders.

`src/cpol/` holds the command line and a relative link to each top-level folder that is part of the package
(`src/cpol/compiler -> ../../compiler`). So `import cpol.compiler` finds one real tree whether the package is
installed, installed editable (a plain path entry, nothing that mypy or pytest would have to understand) or built.
"""

from setuptools import find_packages, setup

setup(
    name="cpol",
    version="0.1.0",
    description="A declarative language for Linux page-cache policies, compiled to BPF struct_ops",
    license="MIT AND GPL-2.0-only",
    python_requires=">=3.11",
    package_dir={"": "src"},
    packages=find_packages("src"),
    package_data={
        "cpol": ["**/*.j2", "**/*.h", "**/*.c", "**/*.cpol", "**/*.toml", "**/*.g4", "runtime/loader/build", "py.typed"]
    },
    install_requires=[
        "antlr4-python3-runtime==4.13.2",
        "click>=8.1",
        "hypothesis>=6.100",
        "jinja2>=3.1",
        "zstandard>=0.21",
    ],
    entry_points={"console_scripts": ["cpolc=cpol.cli.main:main"]},
)
