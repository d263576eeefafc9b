"""Files that cannot be policies, and limits: each is one clear error."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from cpol.compiler import compile_file, compile_source
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.diagnostics.render import render
from cpol.compiler.stages import dump_ast, dump_ir, run

from .examples import wrap


def only_code(error: CompileError) -> str:
    (diagnostic,) = error.diagnostics
    assert render(diagnostic) == str(error)
    return diagnostic.code


def code_of_file(path: Path | str) -> str:
    with pytest.raises(CompileError) as caught:
        compile_file(path)
    return only_code(caught.value)


def code_of(text: str) -> str:
    with pytest.raises(CompileError) as caught:
        compile_source(text, "p.cpol")
    return only_code(caught.value)


def test_missing_file(tmp_path: Path) -> None:
    assert code_of_file(tmp_path / "nothing.cpol") == "E0002"


def test_folder_is_refused(tmp_path: Path) -> None:
    assert code_of_file(tmp_path) == "E0002"


def test_impossible_path() -> None:
    assert code_of_file("a\0b") == "E0002"


def test_name_that_is_not_utf8(tmp_path: Path) -> None:
    assert code_of_file(str(tmp_path) + "/\udcff.cpol") == "E0002"


@pytest.mark.slow
def test_limit_of_1_mib(tmp_path: Path) -> None:
    path = tmp_path / "large.cpol"
    text = wrap("")
    path.write_text(text + "//" + "x" * ((1 << 20) - len(text) - 2))
    assert compile_file(path).name == "example"
    path.write_text(text + "//" + "x" * ((1 << 20) - len(text) - 1))
    assert code_of_file(path) == "E0006"


def test_endless_files_are_refused() -> None:
    assert code_of_file("/dev/zero") == "E0006"


def test_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "marked.cpol"
    path.write_bytes(b"\xef\xbb\xbf" + wrap("").encode())
    assert compile_file(path).name == "example"


def test_crlf_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "crlf.cpol"
    path.write_bytes(wrap("state x: u8 = 300").replace("\n", "\r\n").encode())
    with pytest.raises(CompileError) as caught:
        compile_file(path)
    assert "3 | state x: u8 = 300\n" in str(caught.value)


@pytest.mark.parametrize("text", ["", " \n\t", "// nothing\n", "/// nothing"])
def test_empty_text(text: str) -> None:
    assert code_of(text) == "E0005"


def test_nul_byte() -> None:
    assert code_of("policy p {\0}") == "E0004"


@pytest.mark.parametrize("character", "\x01\x07\x0b\x0c\r\x1b\x7f\x85\x9b\u202a\u202e\u2066\u2069")
def test_control_characters_are_refused_even_in_comments(character: str) -> None:
    with pytest.raises(CompileError) as error:
        compile_source(f"policy p {{\n/// a{character}[2J\n}}", "p.cpol")
    told = str(error.value)
    assert f"E0004]: this file has the control character U+{ord(character):04X} in it\n --> p.cpol:2:6" in told
    assert character not in told


def test_tabs_and_line_ends_are_accepted() -> None:
    assert compile_source(wrap("\t// a\tb\r\n"), "p.cpol").name == "example"


def test_lone_surrogate() -> None:
    assert code_of("policy p { // \ud800\n}") == "E0003"


@pytest.mark.parametrize(
    "value",
    [
        "(" * 5_000,
        "(" * 100 + "1" + ")" * 100,
        "- " * 5_000 + "1",
        "1" + " + 1" * 4_000,
        "1" + " - (1" * 50 + " + 1" * 300 + ")" * 50,
        "if " * 5_000,
        "if true then 1 else " * 1_500 + "1",
        "if true then " * 1_500 + "1" + " else 1" * 1_500,
        "t[" * 4_900,
        "t[" * 100 + "1" + "]" * 100,
    ],
    ids=["open", "parentheses", "minus", "sum", "both", "if", "else", "then", "index", "indices"],
)
def test_deep_expressions(value: str) -> None:
    with pytest.raises(CompileError) as caught:
        compile_source(wrap(f"const A: s64 = {value}"), "p.cpol")
    assert {d.code for d in caught.value.diagnostics} <= {"E0007", "E0012"}


@pytest.mark.parametrize(
    "body",
    ["if true { " * 1000, "if true { " * 55 + "}" * 55, "if true { }" + " else if true { }" * 1000, "not " * 5_000],
    ids=["open", "if", "else", "not"],
)
def test_deep_statements(body: str) -> None:
    with pytest.raises(CompileError):
        compile_source(wrap(f"on accessed(f) {{ {body} }}"), "p.cpol")


def test_deepest_policy_compiles_on_a_nearly_full_stack() -> None:
    nested = "x = 1 - " + "(1 - " * 15 + "1" + ")" * 15
    body = "if x > 0 { " * 40 + nested + "}" * 40
    text = wrap(f"state x: s64 = 1\non accessed(f) {{ {body} }}\nconst A: s64 = {'- ' * 240} 1")

    def fill(frames: int) -> None:
        if frames:
            fill(frames - 1)
        else:
            compiled = run(text, "p.cpol")
            assert dump_ir(compiled.policy).count("if ") == 40
            assert dump_ast(compiled)

    before = sys.getrecursionlimit()
    fill(before - 150)
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize("token", ["(", "{", "1 ", ";", "on "])
def test_one_mib_of_one_token(token: str) -> None:
    assert code_of(f"policy p {{ {token * ((1 << 20) // len(token) - 20)}") == "E0006"


def test_many_errors_are_fast() -> None:
    with pytest.raises(CompileError) as caught:
        compile_source("policy p {\n" + "state x: u8 = ;\n" * 1000 + "}", "p.cpol")
    assert [d.code for d in caught.value.diagnostics] == ["E0009"] * 100 + ["E0018"]


@pytest.mark.long
@pytest.mark.parametrize(
    "items",
    [
        "".join(f"state name_{i}: u8 = nothing_{i}\n" for i in range(1500)),
        "".join(f"list name_{i}\n" for i in range(4500)),
        "state same: u8 = 3\n" * 1500,
        "state x: u8 = 0\non accessed(f) { " + "if x > 0 { x = 1 / x } " * 700 + "}",
        "on accessed(f) { " + "if f.list == queue { let y = f.pages move f to head of queue } " * 400 + "}",
        "folio {" + "".join(f"f{i}: u1 = 0 " for i in range(1800)) + "}",
        "fn f0(x: u64): u64 = x\n"
        + "".join(f"fn f{i}(x: u64): u64 = f{i - 1}(x) + f{i - 1}(1)\n" for i in range(1, 400)),
        "".join(f"test t{i}(capacity: 3) {{ access 1..65536 expect cache.has(1..9999) }}\n" for i in range(380)),
        "enum e { " + " ".join(f"m{i}" for i in range(9000)) + " }",
        "".join(f"table t{i}: u8[cache.capacity, {i}] = 0\n" for i in range(600)),
    ],
    ids=["unknown", "lists", "same", "divisions", "moves", "fields", "fns", "tests", "members", "tables"],
)
def test_largest_policies_are_fast(items: str) -> None:
    start = time.process_time()
    with suppress(CompileError):
        compile_source(wrap(items), "p.cpol")
    assert time.process_time() - start < 10
