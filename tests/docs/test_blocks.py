"""Compile or run every code block of the documentation, and parse every command line in it."""

from __future__ import annotations

import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from doc_blocks import PAGES, ROOT, Block, blocks, matches, steps

from cpol.cli.main import cli
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.format.text import format_text
from cpol.compiler.stages import run
from cpol.runtime.explore.check.policy_test import run_test

wrap = runpy.run_path(str(ROOT / "tests" / "compiler" / "examples.py"))["wrap"]
"""Wrap declarations in a whole policy."""

BLOCKS = [block for page in PAGES for block in blocks(page)]
POLICIES = [block for block in BLOCKS if block.words[:1] == ["cpol"]]
CONSOLES = [page for page in PAGES if any(block.info == "console" for block in blocks(page))]
LANGUAGES = {"cpol", "console", "mermaid", "python"}


def place(item: Block | Path) -> str:
    return item.place if isinstance(item, Block) else str(item.relative_to(ROOT))


def test_blocks_have_a_known_kind() -> None:
    strange = [f"{block.place}: {block.info}" for block in BLOCKS if block.info and block.words[0] not in LANGUAGES]
    assert not strange, "unknown kind of block (see tests/docs/doc_blocks.py)"
    policies = [block.place for block in BLOCKS if not block.info and re.search(r"^\s*policy \w+ \{", block.text, re.M)]
    assert not policies, "a policy must be in a block ```cpol, so that it is compiled"


@pytest.mark.parametrize("block", POLICIES, ids=place)
def test_policies_of_docs_compile_and_their_tests_pass(block: Block) -> None:
    text = re.sub(r"^///.*\n(?=(?:///.*\n)*policy)", "", block.text, flags=re.MULTILINE)
    whole = block.text if re.search(r"^policy\b", block.text, re.MULTILINE) else wrap(text)
    try:
        done = run(whole, f"{block.place}.cpol")
    except CompileError as error:
        pytest.fail(str(error))
    assert {warning.code for warning in done.warnings} <= {"W0402"}
    if len(block.words) == 1:  # a console runs the tests of a file, and shows those that fail
        tests = {test.name: run_test(done.policy, test) for test in done.policy.tests}
        assert not [name for name, failure in tests.items() if failure is not None], f"{block.place}: {tests}"
    else:
        assert format_text(block.text, block.place) == block.text, (
            "a policy that is shown as a file must be laid out as cpolc fmt does"
        )


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder that looks like the checkout, with cpolc on the PATH."""
    folder, programs = tmp_path / "checkout", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    (folder / "examples").symlink_to(ROOT / "examples")
    (programs / "cpolc").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m cpol.cli.main "$@"\n')
    (programs / "cpolc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.long
@pytest.mark.parametrize("page", CONSOLES, ids=place)
def test_consoles_print_what_docs_show(page: Path, checkout: Path) -> None:
    for block in blocks(page):
        if block.words[:1] == ["cpol"] and len(block.words) > 1:
            (checkout / block.words[1]).write_text(block.text, encoding="utf-8")
        if block.info != "console":
            continue
        for step in steps(block):
            done = subprocess.run(
                ["bash", "-c", step.command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
            )
            assert done.returncode == step.code, f"{step.place}: {step.command}: {done.stdout}"
            assert matches(step.output, done.stdout), f"{step.place}: {step.command} prints:\n{done.stdout}"


def command_lines(page: Path) -> list[tuple[str, str]]:
    """Return the page's command lines that start with cpolc: indented lines, or text between back quotes."""
    found = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        where = f"{page.relative_to(ROOT)}:{number}"
        typed = re.match(r"(?:\$ | {4,})(cpolc .*)$", line)
        inline = [] if typed else re.findall(r"`(cpolc [^`]*)`", line)
        found += [(where, text) for text in ([typed[1]] if typed else inline)]
    return found


def understand(text: str) -> str | None:
    """Parse a command line with click, without running it; return click's error, or None."""
    text = re.split(r"  +|\s[>|#;&]|&&", re.sub(r"\[[^][]*\]|[…]|\.\.\.", "", text))[0]
    words = shlex.split(text)[1:]
    if not words or any("|" in word or word.startswith("(") for word in words):
        return None
    command: click.Command = cli
    with click.Context(cli, info_name="cpolc") as context:
        if words[0] in cli.list_commands(context):
            command = cli.get_command(context, words[0]) or cli
        elif words[0].startswith("-") and words[0] in ("--help", "--version", "-h"):
            return None
        elif re.fullmatch(r"[a-z]+", words[0]) and len(words) == 1:
            return f"`{words[0]}` is neither a command nor a stdlib policy" if words[0] not in STDLIB else None
        else:
            command, words = cli.get_command(context, "compile") or cli, ["", *words]
        try:
            if len(words) > 1:
                command.make_context(words[0] or "compile", words[1:], parent=context)
        except click.exceptions.Exit:
            return None
        except (click.NoSuchOption, click.BadOptionUsage) as error:
            return error.format_message()
        except click.UsageError as error:
            return None if isinstance(error, click.BadParameter) else error.format_message()
    return None


STDLIB = {path.stem for path in (ROOT / "stdlib").glob("*.cpol")}
LINES = [line for page in PAGES for line in command_lines(page)]


def test_command_lines_use_existing_commands_and_options() -> None:
    wrong = [f"{where}: `{text}`: {said}" for where, text in LINES if (said := understand(text)) is not None]
    assert not wrong, "\n".join(wrong)
    assert len(LINES) > 40


@pytest.mark.parametrize(
    "text", ["cpolc check x --no-such-option", "cpolc simulate", "cpolc attach --wrong lru /cg", "cpolc lru --emit-c"]
)
def test_unknown_commands_and_options_are_detected(text: str) -> None:
    assert understand(text) is not None


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=place)
def test_links_point_to_files_and_headings(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
        there = page.parent / target if target else page
        assert there.exists(), f"{page}: {target}"
        assert not anchor or anchor in anchors(there), f"{page}: {target}#{anchor}"


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("a\n", "a\n", True),
        ("a\n", "b\n", False),
        ("a\n", "a\nb\n", False),
        ("a … c\n", "a 12 c  \n", True),
        ("a\n…\nz\n", "a\nz\n", True),
        ("a\n…\nz\n", "a\nb\nc\nz\n", True),
        ("a\n…\n", "b\n", False),
        ("", "", True),
        ("", "x\n", False),
        ("a.b\n", "axb\n", False),
    ],
)
def test_output_matching(expected: str, actual: str, same: bool) -> None:
    assert matches(expected, actual) is same
