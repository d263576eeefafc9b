"""User text cannot escape from its place in generated C."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from irs import FIFO, POS, evict, place, with_body

from cpol.compiler import ir
from cpol.compiler.backend import bpf, host
from cpol.compiler.backend.c import generate
from cpol.compiler.ir import c_names as names
from cpol.compiler.toolchain import native
from cpol.compiler.toolchain.clang import clang
from cpol.compiler.toolchain.native import INCLUDE

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
    "int", "default", "u64", "c", "linux", "unix", "bool", "NULL", "struct", "static", "stdin", "X", "main", "errno",
    "cpol_meta", "bpf_x", "LIST_a", "GHOST_a", "_x", "__x__", "RAND_MAX", "MAP_SHARED", "CACHE_EXT_SCAN_TAIL",
    "CPOL_SCAN", "cpol_move", "cpol_f", "folio", "file", "task", "area", "name", "field", "my_", "my_x", "a__my_b",
]  # fmt: skip
"""Names that C, its library, the kernel or our headers have."""


def named(name: str) -> ir.Policy:
    """A policy that uses a name as a list, a field, a state, a param, a ghost, a table, an input, a fn, a local."""
    typed = ir.IntType(False, 8)
    kept = (ir.VarDecl(name, ir.IntType(False, 40), 1, POS), ir.VarDecl(name + "_", ir.IntType(False, 40), 1, POS))
    body = (
        ir.Let(name + "2", ir.FnCall(name, (ir.State(name, ir.U64),), ir.U64), POS),
        ir.SetField("f", name, ir.Convert(ir.Convert(ir.Param(name, typed), ir.U64), ir.IntType(False, 3)), POS),
        ir.SetState(name, ir.Local(name + "2", ir.U64), POS),
        ir.SetState(name, ir.Convert(ir.GhostField(name, "f", name + "_", ir.IntType(False, 40)), ir.U64), POS),
        ir.SetTable(name, (ir.ArrayGet(name + "3", ir.Const(1, ir.U64), ir.U64),), ir.CacheAttr("clock"), POS),
        ir.SetState(name, ir.InputGet(name, ir.Const(1, ir.U64), None, ir.U64), POS),
    )
    add = ir.GhostAdd(name, "f", POS, (ir.Const(1, ir.IntType(False, 40)),) * 2)
    return with_body(
        {"accessed": body, "removed": (add,)},
        lists=(name,),
        params=(ir.ParamDecl(name, typed, 1, 0, 9, "", POS),),
        states=(ir.VarDecl(name, ir.U64, 3, POS),),
        fields=(ir.VarDecl(name, ir.IntType(False, 3), 1, POS),),
        ghosts=(ir.GhostDecl(name, ir.CacheAttr("capacity"), POS, kept),),
        tables=(ir.TableDecl(name, ir.U64, (ir.CacheAttr("capacity"),), 0, POS),),
        inputs=(
            ir.InputDecl(name, "file", ir.U64, 0, "", POS),
            ir.InputDecl(name + "3", "index", ir.U64, 0, "", POS, ir.Const(8, ir.U64)),
        ),
        fns=(ir.FnDecl(name, ((name, ir.U64),), ir.Local(name, ir.U64), ir.U64, POS),),
        handlers={"added": place(name, name), "evict": evict(name, name)},
        name=name,
    )


@pytest.mark.slow
@pytest.mark.parametrize("events", [False, True])
def test_names_of_c_are_names_of_policies(events: bool, tmp_path: Path) -> None:
    for name in TAKEN:
        compiled(generate(named(name)), tmp_path, ("-DCPOL_EVENTS=1",) if events else ())


@pytest.mark.slow
def test_names_of_the_kernel_are_names_of_policies(tmp_path: Path) -> None:
    for name in TAKEN:
        folder = tmp_path / name
        folder.mkdir()
        assert bpf.build(named(name), folder).is_file()


@pytest.mark.parametrize("on", ["host", "bpf"])
def test_nothing_but_names_of_policies_has_the_prefix(on: str, tmp_path: Path) -> None:
    """No macro, keyword, helper or type of all that generated C includes: so no name can collide, those to come too."""
    source = tmp_path / "policy.c"
    source.write_text(generate(named("queue")), encoding="utf-8")
    flags = ["-x", "c", f"-I{INCLUDE}", f"-I{host.NATIVE}"] if on == "host" else [*bpf.FLAGS, f"-I{INCLUDE}"]
    found = set[str]()
    for how in (["-E", "-dM"], ["-E"]):
        done = subprocess.run([clang(), *flags, *how, source], check=True, capture_output=True, text=True)
        found |= set(re.findall(r"\b\w+", done.stdout))
    assert len(found) > 1000
    assert {word for word in found if word.startswith(names.PREFIX)} == {
        f"{names.PREFIX}{name}" for name in ("queue", "queue_", "queue2", "queue3")
    } | {"my_f"}


def test_different_names_stay_different() -> None:
    every = [*TAKEN, *(f"my_{name}" for name in TAKEN)]
    assert len({names.identifier(name) for name in {*every}}) == len({*every})


@pytest.mark.parametrize("name", ["", "a b", "a-b", "é", 'a"', "1a", "a\n"])
def test_invalid_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not an identifier"):
        names.identifier(name)


def compiled(text: str, folder: Path, flags: tuple[str, ...] = ()) -> None:
    source = folder / "policy.c"
    source.write_text(text, encoding="utf-8")
    native.compile_c(source, folder / "out", (*native.COMMON, "-fsyntax-only", f"-I{host.NATIVE}", *flags))
