"""Generate Python, C headers and tables of the docs from compiler/contract.toml, and from what names stand for in C's
logs: the flags of folios (compiler/vocabulary/folio.py) and the numbers of the log (runtime/machine/events/rows.py).

python scripts/contract.py            write the files
python scripts/contract.py --check    name stale files, and fail if there are any
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import cpol
from cpol.compiler.vocabulary.folio import FOLIO_FLAGS
from cpol.runtime.machine.events.rows import Op

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = 120
"""Width of the generated Python."""
MADE = "Made from compiler/contract.toml by scripts/contract.py."
TRUSTED = "KF_TRUSTED_ARGS"
"""The flags of most kfuncs."""


@dataclass(frozen=True)
class OpsType:
    """A struct_ops type: its part of the contract, and the names that what is generated for it begins with."""

    name: str
    """`cache_ext` or `prefetch_ext`."""
    part: dict[str, Any]
    reader: str
    """Of limits."""
    python: str
    """Prefix of names in Python."""
    stat: str
    """Prefix of counters in the kernel."""

    @property
    def upper(self) -> str:
        return self.name.upper()


def types(contract: dict[str, Any]) -> tuple[OpsType, OpsType]:
    """The struct_ops types: eviction, prefetching."""
    eviction = contract | {"structs": {"cache_ext_evict_ctx": contract["evict_ctx"]}}
    return (
        OpsType("cache_ext", eviction, "kernel", "", "CES"),
        OpsType("prefetch_ext", contract["prefetch"], "prefetch", "PREFETCH_", "PES"),
    )


def c_file(licence: str, guard: str, about: str, lines: Iterator[str]) -> str:
    """Return the text of a C header."""
    made = f"{MADE} {about}".rstrip()
    head = f"/* SPDX-License-Identifier: {licence} */\n/* {made} */\n#ifndef {guard}\n#define {guard}\n\n"
    return head + "\n".join(lines) + "\n\n#endif\n"


def limits(contract: dict[str, Any], reader: str) -> Iterator[str]:
    """The limits that `reader` uses, as macros with comments."""
    for limit in contract["limits"].values():
        if reader in limit:
            yield f"/* {limit['doc'].replace('`', '')} */"
            suffix = "ULL" if limit["value"] > 1 << 20 and reader == "c" else ""
            yield f"#define {limit[reader]} {limit['value']}{suffix}"


def python(contract: dict[str, Any]) -> str:
    """compiler/contract.py"""
    lines = [f'"""The contract of Python, C and the kernel. {MADE}"""', "", "from __future__ import annotations", ""]
    for name, limit in contract["limits"].items():
        lines += [f"{name} = {limit['value']}", f'"""{limit["doc"]}"""']
    manifest = contract["manifest"]
    lines += ["", f"MANIFEST_VERSION = {manifest['version']}"]
    lines += _tuple("MANIFEST_LINES", manifest["lines"], "First words of the manifest's lines.")
    lines += _tuple("FORMULA_TOKENS", manifest["tokens"], "Operations in formulas, which attach evaluates.")
    lines += _tuple("REASONS", contract["reasons"], "Reasons for the removal of a folio, numbered from 0.")
    for kind in types(contract):
        lines += _python_of(kind)
    return "\n".join(lines) + "\n"


def _python_of(kind: OpsType) -> list[str]:
    names = [op["name"] for op in kind.part["ops"]]
    lines = _tuple(f"{kind.python}OPS", names, f"Members of `struct {kind.name}_ops`.")
    lines += [f"{kind.python}KFUNCS: dict[str, tuple[str, ...]] = {{"]
    for kfunc in kind.part["kfuncs"]:
        members = [f'"{member}"' for member in kfunc.get("where", ())]
        line = f'    "{name_of(kfunc["c"])}": ({", ".join(members)}{"," if len(members) == 1 else ""}),'
        exploded = [line.split("(")[0] + "(", *(f"        {member}," for member in members), "    ),"]
        lines += [line] if len(line) <= COLUMNS else exploded
    return [*lines, "}", '"""Each kfunc with the members that may call it; an empty tuple means all."""']


def _tuple(name: str, words: Any, doc: str) -> list[str]:
    return [f"{name} = (", *(f'    "{word}",' for word in words), ")", f'"""{doc}"""']


def name_of(prototype: str) -> str:
    """Return the name that a C prototype declares."""
    found = re.search(r"(\w+)\(", prototype)
    assert found is not None, prototype
    return found[1]


def declaration(text: str) -> list[str]:
    """Break a struct member after commas, in the kernel's style, into lines of at most 80 columns."""
    column = 8 + text.rindex("(") + 1 if "(" in text else 0
    lines = [f"\t{text}"]
    while len(lines[-1].expandtabs(8)) > 80:
        at = lines[-1].rindex(", ", 0, 76) + 1
        rest = lines[-1][at + 1 :]
        lines[-1:] = [lines[-1][:at], "\t" * (column // 8) + " " * (column % 8) + rest]
    return lines


ITERATORS = ("bpf_iter_cache_ext_list", "bpf_iter_cache_ext_scan")


def structs(kind: OpsType) -> Iterator[str]:
    """What programs of the type are given."""
    for number, (struct, fields) in enumerate(kind.part["structs"].items()):
        if number:
            yield ""
        yield f"struct {struct} {{"
        for name, field in fields.items():
            space = "" if field["type"].endswith("*") else " "
            yield f"\t{field['type']}{space}{name};\t/* {field['doc']} */"
        yield "};"


def ops_and_flags(kind: OpsType) -> Iterator[str]:
    """The type itself, and the flags that programs and kernel use."""
    yield f"struct {kind.name}_ops {{"
    for op in kind.part["ops"]:
        yield from declaration(f"{op['c']};")
    yield "};"
    yield ""
    for name, flag in kind.part["flags"].items():
        yield f"/* Flag {flag['doc']}. */"
        yield f"#define {name} {flag['value']}"


def abi_header(kind: OpsType) -> Iterator[str]:
    """runtime/machine/include/cpol/TYPE_abi.h"""
    yield "#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)"
    yield from structs(kind)
    yield "#pragma clang attribute pop"
    yield ""
    yield "/* Not relocated: libbpf matches members by name, and drops those that the kernel lacks if they are 0. */"
    yield from ops_and_flags(kind)
    yield ""
    if "reasons" in kind.part:
        yield from reasons_and_iterators(kind)
    for kfunc in kind.part["kfuncs"]:
        yield f"extern {kfunc['c']} CPOL_KSYM;"


def reasons_and_iterators(kind: OpsType) -> Iterator[str]:
    yield f"enum {kind.name}_reason {{"
    for name, number in kind.part["reasons"].items():
        yield f"\t{kind.upper}_{name.upper()} = {number},"
    yield "};"
    yield ""
    yield "/* Open-coded iterators, opaque, on the program's stack. */"
    for name in ITERATORS:
        yield f"struct {name} {{"
        yield "\tu64 opaque[4];"
        yield "} __attribute__((aligned(8)));"
        yield ""


def log_ops() -> Iterator[str]:
    """The numbers of events and decisions in the log, from the Op of runtime/machine/events/rows.py."""
    yield "/* The log of events and decisions. */"
    yield "enum cpol_op {"
    for op in Op:
        yield f"\tCPOL_OP_{op.name} = {op.value},"
    yield "\tCPOL_OPS,"
    yield "};"


def folio_flags() -> Iterator[str]:
    """The flags of folios, from FOLIO_FLAGS of compiler/vocabulary/folio.py."""
    yield "/* What a folio may be, as bits; X(NAME, name). */"
    yield "enum cpol_flag {"
    for bit, name in enumerate(FOLIO_FLAGS):
        yield f"\tCPOL_{name.upper()} = {1 << bit},"
    yield f"\tCPOL_FLAGS_END = {1 << len(FOLIO_FLAGS)},"
    yield "};"
    yield from x_macro("CPOL_FLAGS", [[name.upper(), name] for name in FOLIO_FLAGS])


def host_header(contract: dict[str, Any]) -> Iterator[str]:
    """runtime/machine/include/cpol/contract.h"""
    yield from limits(contract, "c")
    yield ""
    yield from folio_flags()
    yield ""
    yield from log_ops()


def loader_header(contract: dict[str, Any]) -> Iterator[str]:
    """runtime/operate/loader/system/contract.h"""
    yield from limits(contract, "loader")
    yield ""
    yield f'#define CPOL_VERSION "{cpol.__version__}"'
    yield f"#define MANIFEST_VERSION {contract['manifest']['version']}"
    yield ""
    yield "/* X(name): the first word of each line of a manifest but the first. */"
    yield from x_macro("MANIFEST_LINES", [[word] for word in contract["manifest"]["lines"]])
    yield ""
    yield "/* X(name, ENUMERATOR, operands): what is computed at attach, in reverse Polish. */"
    tokens = contract["manifest"]["tokens"].items()
    yield from x_macro("FORMULA_TOKENS", [[name, f"TOKEN_{name.upper()}", str(operands)] for name, operands in tokens])
    for kind in types(contract):
        yield ""
        yield "/* X(key, counted): what the kernel tells of a policy, in the order of output. counted: a number. */"
        rows = [[name, str(int(bool(item["unit"])))] for name, item in kind.part["statistics"].items()]
        yield from x_macro(f"{kind.python}STATISTICS", rows)


def kernel_header(contract: dict[str, Any], kind: OpsType) -> Iterator[str]:
    """kernel/TYPE/contract.h"""
    yield "#include <linux/types.h>"
    yield ""
    named = {name for op in kind.part["ops"] for name in re.findall(r"struct (\w+)", op["c"])}
    named |= {name for fields in kind.part["structs"].values() for f in fields.values() for name in f["type"].split()}
    for name in sorted(named & {"address_space", "folio", "mem_cgroup"}):
        yield f"struct {name};"
    yield ""
    yield from limits(contract, kind.reader)
    yield ""
    yield from structs(kind)
    yield ""
    yield from ops_and_flags(kind)
    yield ""
    yield f"/* Members of {kind.name}_ops, as bpf_prog->expected_attach_type counts them. */"
    yield f"enum {kind.name}_member {{"
    for number, op in enumerate(kind.part["ops"]):
        if "id" in op:
            yield f"\t{op['id']} = {number},"
    yield f"\t{kind.upper}_MEMBERS,"
    yield "};"
    yield ""
    yield f"enum {kind.name}_stat_item {{"
    for item in kind.part["statistics"].values():
        if "counter" in item:
            yield f"\t{item['counter']},"
    yield f"\t{kind.stat}_NR,"
    yield "};"


def counter_names(kind: OpsType) -> Iterator[str]:
    """kernel/TYPE/counter_names.h"""
    yield f"static const char * const {kind.name}_counter_names[{kind.stat}_NR] = {{"
    for key, item in kind.part["statistics"].items():
        if "counter" in item:
            yield f'\t[{item["counter"]}] = "{key}",'
    yield "};"


def kfunc_sets(kind: OpsType) -> Iterator[str]:
    """kernel/TYPE/kfunc_sets.h. Names of sets are those of the whole kernel, or module."""
    kfuncs = kind.part["kfuncs"]
    yield "/* All of them, as BPF is told. */"
    yield f"BTF_KFUNCS_START({kind.name}_kfuncs)"
    yield from _ids(kfuncs, lambda kfunc: f"_FLAGS(func, {name_of(kfunc['c'])}, {kfunc.get('flags', TRUSTED)})")
    yield f"BTF_KFUNCS_END({kind.name}_kfuncs)"
    yield ""
    yield "/*"
    yield " * A module's .BTF_ids has no alignment of its own, but what looks a set up loads"
    yield " * words from it, which arm64 encodes with an offset in words."
    yield " */"
    yield 'asm(".pushsection .BTF_ids, \\"a\\"; .balign 4; .popsection");'
    places = dict.fromkeys(tuple(kfunc["where"]) for kfunc in kfuncs if "where" in kfunc)
    for number, where in enumerate(places):
        yield ""
        yield f"BTF_SET_START({kind.name}_kfuncs_{number})"
        yield from _ids(
            [kfunc for kfunc in kfuncs if tuple(kfunc.get("where", ())) == where],
            lambda kfunc: f"(func, {name_of(kfunc['c'])})",
        )
        yield f"BTF_SET_END({kind.name}_kfuncs_{number})"
    ids = {op["name"]: op["id"] for op in kind.part["ops"] if "id" in op}
    yield ""
    yield f"/* Bits of enum {kind.name}_member: whose programs may call it. */"
    yield f"static u32 {kind.name}_kfunc_members(u32 id)"
    yield "{"
    for number, where in enumerate(places):
        bits = [f"1U << {ids[member]}" for member in where]
        yield f"\tif (btf_id_set_contains(&{kind.name}_kfuncs_{number}, id))"
        yield f"\t\treturn {bits[0]}{' |' if bits[1:] else ';'}"
        yield from (f"\t\t       {bit}{';' if bit == bits[-1] else ' |'}" for bit in bits[1:])
    yield "\treturn ~0U;"
    yield "}"


def _ids(kfuncs: list[dict[str, Any]], line: Callable[[dict[str, Any]], str]) -> Iterator[str]:
    """A line of BTF_ID for each, with those of an option together in a block of their own."""
    for switch, those in groupby(kfuncs, key=lambda kfunc: kfunc.get("switch", "")):
        yield from [f"#ifdef {switch}"] * bool(switch)
        yield from (f"BTF_ID{line(kfunc)}" for kfunc in those)
        yield from ["#endif"] * bool(switch)


def x_macro(name: str, rows: list[list[str]]) -> Iterator[str]:
    lines = [f"#define {name}(X)", *(f"\tX({', '.join(row)})" for row in rows)]
    for line in lines[:-1]:
        yield f"{line} \\"
    yield lines[-1]


def statistics_table(kind: OpsType, page: str) -> str:
    """Return docs/kernel-interface.md with the type's table of statistics updated."""
    rows = [f"| {key} | {item['unit']} | {item['doc']} |" for key, item in kind.part["statistics"].items()]
    table = "\n".join(["| key | unit | meaning |", "| --- | --- | --- |", *rows])
    about = "statistics" if kind.name == "cache_ext" else "statistics of prefetching"
    begin, end = f"<!-- {about}: {MADE} -->", f"<!-- end of {about} -->"
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    assert found, f"docs/kernel-interface.md lacks the marks around its table: {about}"
    return f"{before}{begin}\n\n{table}\n\n{end}{after}"


def files() -> dict[Path, str]:
    """Map each generated file to its text."""
    with (ROOT / "compiler/contract.toml").open("rb") as file:
        contract = tomllib.load(file)
    include = ROOT / "runtime/machine/include/cpol"
    page = ROOT / "docs/kernel-interface.md"
    text = page.read_text(encoding="utf-8")
    gpl, mit = "GPL-2.0", "MIT"
    made = {
        ROOT / "compiler/contract.py": python(contract),
        include / "contract.h": c_file(
            mit, "CPOL_CONTRACT_H", "Limits, flags of folios, the log.", host_header(contract)
        ),
        ROOT / "runtime/operate/loader/system/contract.h": c_file(
            mit, "LOADER_CONTRACT_H", "Limits, manifest, statistics.", loader_header(contract)
        ),
    }
    for kind in types(contract):
        about = "What a program shares with the kernel."
        kernel = ROOT / "kernel" / kind.name
        names, guard = kernel / "counter_names.h", f"_MM_{kind.upper}"
        made[include / f"{kind.name}_abi.h"] = c_file(
            f"{gpl}-only", f"CPOL_{kind.upper}_ABI_H", about, abi_header(kind)
        )
        made[kernel / "contract.h"] = c_file(gpl, f"{guard}_CONTRACT_H", "", kernel_header(contract, kind))
        made[kernel / "kfunc_sets.h"] = c_file(gpl, f"{guard}_KFUNC_SETS_H", "For kfuncs.c.", kfunc_sets(kind))
        made[names] = c_file(gpl, f"{guard}_COUNTER_NAMES_H", "For stats.c.", counter_names(kind))
        text = statistics_table(kind, text)
    return made | {page: text}


def main() -> int:
    stale = [path for path, text in files().items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is stale (compiler/contract.toml changed): run make generate")
        return 1 if stale else 0
    for path in stale:
        path.write_text(files()[path], encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
