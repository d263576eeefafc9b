"""Whatever programs may call has kernel-doc: each argument, from where it may be called, and what it returns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

KERNEL = Path(__file__).resolve().parents[2] / "kernel"
CORES = ("cache_ext", "prefetch_ext")
KFUNCS = re.compile(r"^BTF_KFUNCS_START\(\w+\)$(.*?)^BTF_KFUNCS_END\(\w+\)$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"^BTF_ID_FLAGS\(func, (\w+)[,)]", re.MULTILINE)
# The comment right before it, what it returns, its name, its arguments.
FUNCTION = re.compile(
    r"(?:/\*\*\n((?: \*.*\n)*?) \*/\n)?^__bpf_kfunc ([\w \n]+?[ \n*]+)(\w+)\(([^)]*)\)\n\{", re.MULTILINE
)
SECTION = re.compile(r"^(?:@(\w+)|(Context|Return)): *(.*)$")


def sources(core: str) -> str:
    return "\n".join(path.read_text() for path in sorted((KERNEL / core).glob("*.[ch]")))


def registered(core: str) -> list[str]:
    return [name for kfuncs in KFUNCS.findall(sources(core)) for name in NAME.findall(kfuncs)]


def sections(comment: str) -> dict[str, str]:
    """Each @argument, Context and Return, with its text. Blank lines end a section."""
    found: dict[str, str] = {}
    last = ""
    for line in comment.splitlines():
        text = line.removeprefix(" *").strip()
        if start := SECTION.match(text):
            last = start[1] or start[2]
            assert last not in found, f"{last} is there twice"
            found[last] = start[3]
        elif not text:
            last = ""
        elif last:
            found[last] += " " + text
    return found


def complaints(function: re.Match[str]) -> list[str]:
    comment, returns, name, arguments = (group or "" for group in function.groups())
    if not comment:
        return ["no kernel-doc right before it"]
    if not re.match(rf" \* {name} - \w", comment):
        return ["the first line is not its name and what it does"]
    found = sections(comment)
    wanted = [re.findall(r"\w+", argument)[-1] for argument in arguments.split(",")]
    described = [section for section in found if section not in ("Context", "Return")]
    wrong = [f"{section} has no text" for section, text in found.items() if not text]
    if described != wanted:
        wrong.append(f"arguments are {wanted}, described are {described}")
    if "Context" not in found:
        wrong.append("no Context")
    if ("Return" in found) == (returns.split() == ["void"]):
        wrong.append("Return is missing, or of a function that returns nothing")
    return wrong


KFUNC_NAMES = [(core, name) for core in CORES for name in registered(core)]


def test_all_are_registered() -> None:
    for core in CORES:
        defined = {match[3] for match in FUNCTION.finditer(sources(core))}
        assert defined == set(registered(core)), core
        assert len(registered(core)) > 10, core


@pytest.mark.parametrize("core, name", KFUNC_NAMES, ids=[name for _, name in KFUNC_NAMES])
def test_kernel_doc(core: str, name: str) -> None:
    functions = [match for match in FUNCTION.finditer(sources(core)) if match[3] == name]
    assert len(functions) == 1
    assert not complaints(functions[0])


MADE_UP = """
/**
 * bpf_good - do it
 * @it: what
 * @many: pages; at
 *	most
 *
 * Context: any.
 * Return: 0.
 */
__bpf_kfunc s32 bpf_good(struct it *it, u64 many)
{
"""


@pytest.mark.parametrize(
    "old, new, complaint",
    [
        ("Context: any.", "It is so.", "no Context"),
        ("Return: 0.", "Return:", "Return has no text"),
        (" * Return: 0.\n", "", "Return is missing, or of a function that returns nothing"),
        ("s32 ", "void ", "Return is missing, or of a function that returns nothing"),
        ("@many", "@few", "arguments are ['it', 'many'], described are ['it', 'few']"),
        ("bpf_good - ", "bpf_bad - ", "the first line is not its name and what it does"),
        (" */\n", " */\n\n", "no kernel-doc right before it"),
    ],
)
def test_what_is_missing_is_seen(old: str, new: str, complaint: str) -> None:
    good = FUNCTION.search(MADE_UP)
    assert good and not complaints(good)
    bad = FUNCTION.search(MADE_UP.replace(old, new))
    assert bad and complaints(bad) == [complaint]
