"""What the Debian packages are made from: the man page of the loader, and the version of a snapshot."""

from __future__ import annotations

import re

from build_package import ROOT, run

import cpol


def test_man_page_of_the_loader_has_its_commands() -> None:
    usage = (ROOT / "runtime" / "operate" / "loader" / "command" / "main.c").read_text()
    page = (ROOT / "debian" / "cpol-loader.1").read_text()
    commands = set(re.findall(r"(?:usage:|\t\")\s+cpol-loader (\w+) ", usage))
    assert len(commands) >= 7
    assert commands == set(re.findall(r"^\.B cpol\\-loader (\w+)$", page, re.MULTILINE))
    assert commands <= set(re.findall(r"^\.B (\w+)$", page, re.MULTILINE))


def test_versions_of_snapshots_are_older_than_the_release() -> None:
    script = (ROOT / "scripts" / "packages").read_text()
    (function,) = re.findall(r"^package_version\(\) \{.*?^\}", script, re.MULTILINE | re.DOTALL)
    version = run("bash", "-euc", f"{function}\npackage_version", cwd=ROOT).strip()
    assert version == cpol.__version__ or re.fullmatch(
        re.escape(cpol.__version__) + r"[~+]\d{8}\.\d{6}\.[0-9a-f]{8}", version
    )
    if "~" in version:
        run("dpkg", "--compare-versions", version, "lt", cpol.__version__, cwd=ROOT)
