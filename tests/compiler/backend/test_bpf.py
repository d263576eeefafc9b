"""BPF objects: contents, reproducibility and error messages."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from cpol.cli.main import cli
from cpol.compiler import compile_file, compile_source
from cpol.compiler.backend import bpf, manifest
from cpol.compiler.backend.c import generate
from cpol.compiler.objects import object_for
from cpol.compiler.toolchain.native import INCLUDE
from cpol.compiler.toolchain.process import ToolError
from cpol.compiler.vocabulary.event import EVENTS, PREFETCH_EVENTS

ROOT = Path(__file__).resolve().parents[3]
STDLIB = sorted((ROOT / "stdlib").glob("*.cpol"))
EVERYTHING = Path(__file__).parent / "everything.cpol"
WHOLE = Path(__file__).parent / "whole.cpol"
POLICIES = pytest.mark.parametrize("path", [*STDLIB, EVERYTHING, WHOLE], ids=lambda path: path.stem)


@cache
def content(path: Path) -> bytes:
    """The policy's object: the same for all tests, and for all runs until the policy or the compiler changes."""
    with object_for(compile_file(path)) as out:
        return out.read_bytes()


def compiled(path: Path, folder: Path) -> Path:
    out = folder / f"{path.stem}.bpf.o"
    out.write_bytes(content(path))
    return out


def tool(*command: str | Path) -> str:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def sections(path: Path) -> set[str]:
    return set(re.findall(r"^\s+\[\s*\d+\] (\S+)", tool("llvm-readelf-19", "-S", path), re.MULTILINE))


@pytest.mark.long
@POLICIES
def test_object_has_programs_btf_and_lines_but_no_dwarf(path: Path, tmp_path: Path) -> None:
    found = sections(compiled(path, tmp_path))
    policy = compile_file(path)
    programs = {"struct_ops/folio_added", "struct_ops/evict_folios"} if policy.evicts else set()
    programs |= {f"struct_ops/{EVENTS[event].programs[0]}" for event in policy.handlers if event in PREFETCH_EVENTS}
    assert programs | {".BTF", ".BTF.ext", ".struct_ops.link", ".cpol", "license"} <= found
    assert not [name for name in found if name.startswith(".debug")]


@POLICIES
def test_object_contains_the_manifest(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "section"
    tool("llvm-objcopy-19", f"--dump-section=.cpol={out}", compiled(path, tmp_path), tmp_path / "copy.o")
    assert out.read_bytes() == "".join(f"{line}\n" for line in manifest.lines(compile_file(path))).encode() + b"\0"


@pytest.mark.long
@POLICIES
def test_reads_of_kernel_structs_are_relocated(path: Path, tmp_path: Path) -> None:
    text = tool("llvm-objdump-19", "-dr", compiled(path, tmp_path))
    relocated = set(re.findall(r"CO-RE <\w+> \[\d+\] (?:struct|enum) (\S+)", text))
    policy = compile_file(path)
    if policy.ghosts and policy.evicts:
        assert {"folio::mapping", "folio::index", "address_space::host", "inode::i_ino", "inode::i_sb"} <= relocated
    if path == EVERYTHING:
        assert {"folio::flags", "folio::_folio_nr_pages", "pageflags::PG_head"} <= relocated
    if "{ evict f }" in path.read_text():
        assert {"cache_ext_evict_ctx::nr_evicted", "cache_ext_evict_ctx::request_nr_folios"} <= relocated


@pytest.mark.long
@POLICIES
def test_instructions_have_the_policys_lines(path: Path, tmp_path: Path) -> None:
    listing = tool("llvm-objdump-19", "-S", "-l", "--no-show-raw-insn", compiled(path, tmp_path))
    lines = path.read_text().splitlines()
    named = {int(number) for number in re.findall(rf"^; \./{path.name}:(\d+)$", listing, re.MULTILINE)}
    policy = compile_file(path)
    assert named or policy.name == "noop", "`leave` generates no instruction"
    handlers = policy.handlers.values()
    # The last statement of `on evict`: its own line, or one in it (clang may compute a condition earlier).
    ends = [handler.body[-1].pos.line for handler in handlers if handler.event == "evict" and handler.body]
    assert all(end <= max(named) for end in ends)
    for number in named:
        assert f";{lines[number - 1].rstrip()}" in re.sub(r"^; ?", ";", listing, flags=re.MULTILINE)


@pytest.mark.slow
def test_object_does_not_depend_on_the_folder(tmp_path: Path) -> None:
    source = ROOT / "stdlib" / "s3fifo.cpol"
    for name in ("one", "two"):
        (tmp_path / name / "deeper").mkdir(parents=True)
        (tmp_path / name / "deeper" / "s3fifo.cpol").write_bytes(source.read_bytes())
    objects = list[bytes]()
    for path in (source, *(tmp_path / name / "deeper" / "s3fifo.cpol" for name in ("one", "two"))):
        bpf.compile_policy(compile_file(path), tmp_path / "out.bpf.o")
        objects.append((tmp_path / "out.bpf.o").read_bytes())
    assert len({*objects}) == 1
    assert str(tmp_path).encode() not in objects[0]
    assert str(ROOT).encode() not in objects[0]


@pytest.mark.parametrize("name", ["int", "struct", "cpol_params", "init", "a_name_longer_than_the_kernels_fifteen"])
def test_policies_with_unusual_names(name: str, tmp_path: Path) -> None:
    handlers = "on added(f) { place f at tail of q }\n on evict { scan q from head as f { evict f } }"
    text = f"policy {name} {{ list q\n {handlers} }}"
    out = tmp_path / "out.bpf.o"
    bpf.compile_policy(compile_source(text, "named.cpol"), out)
    assert name[:15].encode() in out.read_bytes()


def test_record_beyond_the_kernels_limit_is_refused(tmp_path: Path) -> None:
    fields = " ".join(f"f{number}: u64 = 0" for number in range(8))
    uses = " ".join(f"f.f{number} += 1" for number in range(8))
    reads = " + ".join(f"f.f{number}" for number in range(8))
    text = f"""policy big {{
      list q
      folio {{ {fields} }}
      score s(f) = {reads}
      on added(f) {{ place f at tail of q }}
      on first_accessed(f) {{ {uses} }}
      on evict {{ evict lowest s of up to 8 from head of q }}
    }}"""
    out = tmp_path / "big.bpf.o"
    with pytest.raises(Exception, match="64"):
        bpf.compile_policy(compile_source(text, "big.cpol"), out)
    assert not out.exists()


def test_missing_compiler_keeps_the_old_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = compile_file(STDLIB[0])
    out = tmp_path / "out.bpf.o"
    out.write_bytes(b"old")
    monkeypatch.setenv("CPOL_CLANG", "clang-that-is-not-there")
    with pytest.raises(ToolError, match=r"^CPOL_CLANG names clang-that-is-not-there, which is no program"):
        bpf.compile_policy(policy, out)
    assert out.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.bpf.o"]


def test_message_quotes_a_failing_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "clang-fake"
    fake.write_text("#!/bin/sh\necho 'it is broken' >&2\nexit 3\n")
    fake.chmod(0o755)
    monkeypatch.setenv("CPOL_CLANG", str(fake))
    with pytest.raises(bpf.BpfError, match=r"the compiler .* does not work: .* failed: it is broken; install clang-19"):
        bpf.compile_policy(compile_file(STDLIB[0]), tmp_path / "out.bpf.o")


def test_unwritable_target_is_an_oserror(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        bpf.compile_policy(compile_file(STDLIB[0]), tmp_path / "no" / "out.bpf.o")


LETS = 64
SUM = " + ".join(f"w{n} * {{other}}" for n in range(LETS))
"""Of all `let`s, so that each is live until then."""


def lets(*others: str) -> str:
    """The `let`s, from what their handler knows."""
    return "\n".join(f"    let w{n} = {others[n % len(others)]} * {n + 3} + random({n + 9})" for n in range(LETS))


EVICTS = f"""policy stack {{
  list queue
  state s: u64 = 0
  on added(f) {{ place f at tail of queue }}
  on evict {{
{lets("queue.size", "cache.size")}
    scan queue from head as f {{
      s += {SUM.format(other="f.index")}
      evict f
    }}
  }}
}}
"""
PREFETCHES = f"""policy stack {{
  state s: u64 = 0
  table last: u64[8] = 0

  on prefetch(p) {{ prefetch slot p.slot + s }}
  on fault(p) {{
{lets("p.page", "p.slot")}
    for i in 0..7 {{ last[i] = last[i] + p.slot }}
    let now = last[s % 8]
    s += {SUM.format(other="now")}
  }}
}}
"""


@pytest.mark.parametrize(("text", "line"), [(EVICTS, 5), pytest.param(PREFETCHES, 6, marks=pytest.mark.slow)])
def test_stack_overflow_is_an_error_at_the_handler(tmp_path: Path, text: str, line: int) -> None:
    """A BPF program has 512 bytes of stack. One program of swap tells of a fault and asks; clang names line 0, too."""
    path = tmp_path / "stack.cpol"
    path.write_text(text)
    with pytest.raises(bpf.StackError) as caught:
        bpf.compile_policy(compile_file(path), tmp_path / "stack.bpf.o")
    diagnostic = caught.value.diagnostic
    assert (diagnostic.code, diagnostic.source.path) == ("E0512", str(path))
    assert diagnostic.span is not None
    assert diagnostic.source.pos(diagnostic.span.start).line == line
    result = CliRunner().invoke(cli, ["compile", str(path), "-o", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert f"{path}:{line}:3" in result.output
    assert "clang" not in result.output


HASHES = """policy stack {{
  list queue
  state s: u64 = 0
  {fn}
  on added(f) {{ place f at tail of queue }}
  on accessed(f) {{ {accessed} }}
  on evict {{ scan queue from head as f {{ evict f }} }}
}}
"""


def hashes(number: int, other: str) -> tuple[str, str]:
    """`let`s of so many hashes, and what reads all of them."""
    lets = " ".join(f"let a{n} = hash(f, {other} + {n})" for n in range(number))
    return lets, " ^ ".join(f"(a{n} * a{(n + 7) % number})" for n in range(number))


@pytest.mark.parametrize("number", [23, 40])
def test_stack_overflow_without_a_line_of_the_policy(tmp_path: Path, number: int) -> None:
    """Clang may name the program only, or a line of a header."""
    lets, read = hashes(number, "s")
    path = tmp_path / "stack.cpol"
    path.write_text(HASHES.format(fn="", accessed=f"{lets} s = {read}"))
    result = CliRunner().invoke(cli, ["compile", str(path), "-o", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert f"{path}:6:3" in result.output and "E0512" in result.output, result.output


def test_stack_overflow_in_a_fn(tmp_path: Path) -> None:
    """What a fn keeps counts for the handler that calls it, as does what it calls itself."""
    lets, _ = hashes(14, "z")
    names = [f"a{n}" for n in range(14)]
    lets += " let q = floor(log2(a3) / max(exp2(log2(a4)), 0.5))"
    read = f"(q + {' + '.join(names)}) ^ ({' ^ '.join(f'({name} * {n + 3})' for n, name in enumerate(names))})"
    path = tmp_path / "stack.cpol"
    path.write_text(
        HASHES.format(fn=f"fn f1(f: folio, z: u64): u64 {{ {lets} return {read} }}", accessed="s = s ^ f1(f, s)")
    )
    result = CliRunner().invoke(cli, ["compile", str(path), "-o", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert f"{path}:6:3" in result.output and "E0512" in result.output, result.output
    assert "and what it calls" in result.output


NUMBERS = """policy numbers {
  list queue
  folio { n: u8 = 0, last: u64 = 0 }
  fn weigh(age: u64): u64 = if age > 2 then 2 else if age > 1 then 1 else 0
  on added(f) { place f at tail of queue }
  on accessed(f) { f.n += 1 }
  on evict {
    scan queue from head as f {
      let age = if f.last > 9 then 2 else if f.last > 1 then 1 else 0
      let size = f.pages
      when age + weigh(if f.n > 3 then 3 else f.n) > size { keep }
      otherwise { evict f }
    }
  }
}
"""


def test_the_verifier_does_not_know_numbers_that_an_if_chose(tmp_path: Path) -> None:
    """Else it follows all that comes after for each value of each of them, and gives up."""
    path = tmp_path / "numbers.cpol"
    path.write_text(NUMBERS)
    made = generate(compile_file(path))
    assert "const u64 my_age = CPOL_VARIABLE(u64, " in made
    assert "const u64 my_size = cpol_folio_pages(" in made
    assert "return CPOL_VARIABLE(u64, " in made
    assert "cpol_fn_my_weigh(c, CPOL_VARIABLE(u64, " in made
    assert "#define CPOL_USES_VARIABLES 1" in made


BITS = """
policy bits {
  list queue
  folio { n: u5 = 0, z: bool = false }
  ghost past { capacity: cache.capacity  folio { a: u2 = 0 } }
  on added(f) { f.n = if past.has(f) then past.a(f) else 0  place f at tail of queue }
  on accessed(f) { f.n += 1  f.z = true }
  on removed(f) { past.add(f, a: f.n) }
  on evict { scan queue from head as f { past.add(f, a: f.n)  evict f } }
}
"""


CHOICE = """
policy choice {
  list queue
  state flag: bool = true
  state other: u64 = 5
  state last: u64 = 0
  on added(f) { place f at tail of queue }
  on accessed(f) { last = if flag then other else f.index }
  on evict { last += if flag then other else evict.wanted  scan queue from head as f { evict f } }
}
"""


def optimised(text: str, folder: Path) -> str:
    """Return the optimised LLVM IR of a policy's C without debug information."""
    source = folder / "policy.c"
    source.write_text(generate(compile_source(text, "policy.cpol")))
    command = ["clang-19", *bpf.FLAGS, "-DCPOL_MAP_NAME=policy", f"-I{INCLUDE}", "-S", "-emit-llvm", source, "-o", "-"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("#dbg"))


@pytest.mark.parametrize("text", [BITS, WHOLE.read_text()], ids=["bits", "whole"])
def test_records_have_no_undefined_bits(text: str, tmp_path: Path) -> None:
    """The verifier refuses reads of an unset register; such a value is undef in LLVM IR."""
    assert not re.findall(r"^.*\bundef\b.*$", optimised(text, tmp_path), re.MULTILINE)


def test_conditional_expression_selects_values(tmp_path: Path) -> None:
    """The verifier refuses an instruction that reads kernel memory on one path and a map on another."""
    assert not re.findall(r"^.*(?:select|phi).*@cpol_state.*$", optimised(CHOICE, tmp_path), re.MULTILINE)


@pytest.mark.parametrize(
    ("scan", "iterator"),
    [
        ("scan queue from head", "list"),
        ("scan queue from tail", "scan"),
        ("scan queue from head up to count", "scan"),
        ("scan queue from head up to queue.size", "scan"),
        ("scan queue from head up to 18446744073709551615", "list"),
    ],
)
def test_a_loop_has_one_kind_of_iterator(scan: str, iterator: str, tmp_path: Path) -> None:
    """With both, a value chooses between them. The verifier refused a loop when it lost that value."""
    text = f"""
policy one {{
  param count: u64 = 10 in 1..100 live
  list queue
  on added(f) {{ place f at tail of queue }}
  on evict {{ {scan} as f {{ evict f }} }}
}}
"""
    out = tmp_path / "one.bpf.o"
    bpf.compile_policy(compile_source(text, "one.cpol"), out)
    found = set(re.findall(r"bpf_iter_cache_ext_(\w+)_new", tool("llvm-objdump-19", "-dr", out)))
    assert found == {iterator}


@pytest.mark.slow
def test_the_stack_of_a_handler_with_what_it_calls(tmp_path: Path) -> None:
    """Each fits by itself, which is all that clang checks; the verifier adds them up."""
    names = [f"w{n}" for n in range(14)]
    hashes = "\n".join(f"    let {name} = hash(f, s + {n})" for n, name in enumerate(names))
    path = tmp_path / "stack.cpol"
    path.write_text(f"""policy stack {{
  list queue
  state s: u64 = 0  state r: fix = 0.0
  on added(f) {{ r = r + 0.5  place f at tail of queue }}
  on accessed(f) {{
{hashes}
    s = floor(exp2(r) + r)
    if s % 2 == 0 {{ s = {" + ".join(names)} }} else {{ s = {" ^ ".join(names)} }}
    r = exp2(r)
  }}
  on evict {{ scan queue from head as f {{ evict f }} }}
}}
""")
    bpf.compile_policy(compile_file(path), tmp_path / "stack.bpf.o")
    result = CliRunner().invoke(cli, ["compile", str(path), "-o", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert f"{path}:5:3" in result.output and "E0512" in result.output
    assert "and what it calls" in result.output
