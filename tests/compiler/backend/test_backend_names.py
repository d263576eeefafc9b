"""User text cannot escape from its place in generated C."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from irs import FIFO, POS, evict, place, with_body

from cpol.compiler import ir
from cpol.compiler.backend import host
from cpol.compiler.backend.c import generate
from cpol.compiler.ir import c_names as names
from cpol.compiler.toolchain import native

HOSTILE = 'a"b\n#error broken\n\\"; int x; /* */ ??/ \x00 é .cpol'


@pytest.mark.parametrize("path", [HOSTILE, 'x" 1\n#include "/etc/passwd', "trigraph??/", "back\\", "*/", "a\rb", ""])
def test_hostile_file_names_stay_inside_their_string(path: str, tmp_path: Path) -> None:
    text = generate(replace(FIFO, path=path))
    for line in text.splitlines():
        if line.startswith("#"):
            assert re.fullmatch(
                r'#(line \d+ "[A-Za-z0-9_./+@%=:, -]*"|(include|define|if|ifdef|elif|else|endif|pragma).*)', line
            )
    compiled(text, tmp_path)


@pytest.mark.parametrize(
    "doc", ["*/ #error", "/* nested", "ends with \\", "??/", "\x00\x1b[31m", "tabs\tand\n*/\nlines"]
)
def test_hostile_doc_comments_stay_comments(doc: str, tmp_path: Path) -> None:
    compiled(generate(replace(FIFO, doc=doc)), tmp_path)


def test_normal_paths_are_unchanged() -> None:
    assert names.path("/home/me/my-policies/v1.2/a_b.cpol") == "/home/me/my-policies/v1.2/a_b.cpol"


TAKEN = [
    "int",
    "default",
    "u64",
    "c",
    "linux",
    "unix",
    "bool",
    "cpol_meta",
    "bpf_x",
    "LIST_a",
    "GHOST_a",
    "_x",
    "__x__",
    "NULL",
    "struct",
    "static",
    "stdin",
    "X",
    "main",
    "errno",
]


@pytest.mark.parametrize("events", [False, True])
def test_names_reserved_in_c(events: bool, tmp_path: Path) -> None:
    """Each name is used as a list, a field, a state, a param, a ghost, a local and a folio."""
    for name in TAKEN:
        typed = ir.IntType(False, 8)
        body = (
            ir.Let(name + "2", ir.State(name, ir.U64), POS),
            ir.SetField("f", name, ir.Convert(ir.Param(name, typed), ir.U64), POS),
            ir.SetState(name, ir.Local(name + "2", ir.U64), POS),
            ir.GhostAdd(name, "f", POS),
        )
        policy = with_body(
            {"accessed": body},
            lists=(name,),
            params=(ir.ParamDecl(name, typed, 1, 0, 9, "", POS),),
            states=(ir.VarDecl(name, ir.U64, 3, POS),),
            fields=(ir.VarDecl(name, ir.IntType(False, 3), 1, POS),),
            ghosts=(ir.GhostDecl(name, ir.CacheAttr("capacity"), POS),),
            handlers={"added": place(name, name), "evict": evict(name, name)},
            name=name,
        )
        text = generate(policy)
        compiled(text, tmp_path, ("-DCPOL_EVENTS=1",) if events else ())


def test_different_names_stay_different() -> None:
    every = [*TAKEN, *(f"cpol_n_{name}" for name in TAKEN), *(f"cpol_n_cpol_n_{name}" for name in TAKEN)]
    assert len({names.identifier(name) for name in every}) == len(every)


@pytest.mark.parametrize("name", ["", "a b", "a-b", "é", 'a"', "1a", "a\n"])
def test_invalid_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not an identifier"):
        names.identifier(name)


def compiled(text: str, folder: Path, flags: tuple[str, ...] = ()) -> None:
    source = folder / "policy.c"
    source.write_text(text, encoding="utf-8")
    native.compile_c(source, folder / "out", (*native.COMMON, "-fsyntax-only", f"-I{host.NATIVE}", *flags))
