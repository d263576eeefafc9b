"""Generate Python, C headers and a table of the docs from compiler/contract.toml.

python scripts/contract.py            write the files
python scripts/contract.py --check    name stale files, and fail if there are any
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
COLUMNS = 120
"""Width of the generated Python."""
MADE = "Made from compiler/contract.toml by scripts/contract.py."


def c_file(licence: str, guard: str, about: str, lines: Iterator[str]) -> str:
    """Return the text of a C header."""
    head = f"/* SPDX-License-Identifier: {licence} */\n/* {MADE} {about} */\n#ifndef {guard}\n#define {guard}\n\n"
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
    lines += _tuple("OPS", [op["name"] for op in contract["ops"]], "Members of `struct cache_ext_ops`.")
    lines += ["KFUNCS: dict[str, tuple[str, ...]] = {"]
    for kfunc in contract["kfuncs"]:
        members = [f'"{member}"' for member in kfunc.get("where", ())]
        line = f'    "{name_of(kfunc["c"])}": ({", ".join(members)}{"," if len(members) == 1 else ""}),'
        exploded = [line.split("(")[0] + "(", *(f"        {member}," for member in members), "    ),"]
        lines += [line] if len(line) <= COLUMNS else exploded
    lines += ["}", '"""Each kfunc with the members that may call it; an empty tuple means all."""']
    lines += [
        "STATISTICS = {",
        *(f'    "{key}": "{item["unit"]}",' for key, item in contract["statistics"].items()),
        "}",
    ]
    lines += ['"""Statistics of a policy, in the order of output, with their units; text has none."""']
    return "\n".join(lines) + "\n"


def _tuple(name: str, words: Any, doc: str) -> list[str]:
    return [f"{name} = (", *(f'    "{word}",' for word in words), ")", f'"""{doc}"""']


def name_of(prototype: str) -> str:
    """Return the name that a C prototype declares."""
    found = re.search(r"(\w+)\(", prototype)
    assert found is not None, prototype
    return found[1]


def cpol_header(contract: dict[str, Any]) -> Iterator[str]:
    """runtime/include/cpol/contract.h"""
    yield from limits(contract, "c")


def ops_struct(contract: dict[str, Any]) -> Iterator[str]:
    yield "struct cache_ext_ops {"
    for op in contract["ops"]:
        yield from declaration(f"{op['c']};")
    yield "};"


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


def shared_abi(contract: dict[str, Any]) -> Iterator[str]:
    """Declarations that BPF programs and the kernel share."""
    yield "struct cache_ext_evict_ctx {"
    for name, field in contract["evict_ctx"].items():
        yield f"\t{field['type']} {name};\t/* {field['doc']} */"
    yield "};"
    yield ""
    yield from ops_struct(contract)
    yield ""
    for name, flag in contract["flags"].items():
        yield f"/* Flag {flag['doc']}. */"
        yield f"#define {name} {flag['value']}"


def abi_header(contract: dict[str, Any]) -> Iterator[str]:
    """runtime/include/cpol/cache_ext_abi.h"""
    yield "#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)"
    shared = list(shared_abi(contract))
    split = shared.index("")
    yield from shared[:split]
    yield "#pragma clang attribute pop"
    yield ""
    yield "/* Not relocated: libbpf matches members by name, and drops those that the kernel lacks if they are 0. */"
    yield from shared[split + 1 :]
    yield ""
    yield "enum cache_ext_reason {"
    for name, number in contract["reasons"].items():
        yield f"\tCACHE_EXT_{name.upper()} = {number},"
    yield "};"
    yield ""
    yield "/* Open-coded iterators, opaque, on the program's stack. */"
    for name in ITERATORS:
        yield f"struct {name} {{"
        yield "\tu64 opaque[4];"
        yield "} __attribute__((aligned(8)));"
        yield ""
    for kfunc in contract["kfuncs"]:
        yield f"extern {kfunc['c']} CPOL_KSYM;"


def loader_header(contract: dict[str, Any]) -> Iterator[str]:
    """runtime/loader/contract.h"""
    yield from limits(contract, "loader")
    yield ""
    yield f"#define MANIFEST_VERSION {contract['manifest']['version']}"
    yield ""
    yield "/* X(name): the first word of each line of a manifest but the first. */"
    yield from x_macro("MANIFEST_LINES", [[word] for word in contract["manifest"]["lines"]])
    yield ""
    yield "/* X(name, ENUMERATOR, operands): what is computed at attach, in reverse Polish. */"
    tokens = contract["manifest"]["tokens"].items()
    yield from x_macro("FORMULA_TOKENS", [[name, f"TOKEN_{name.upper()}", str(operands)] for name, operands in tokens])
    yield ""
    yield "/* X(key, counted): what the kernel tells of a policy, in the order of output. counted: a number. */"
    statistics = contract["statistics"].items()
    yield from x_macro("STATISTICS", [[name, str(int(bool(item["unit"])))] for name, item in statistics])


def kernel_header(contract: dict[str, Any]) -> Iterator[str]:
    """kernel/cache_ext/contract.h"""
    yield "#include <linux/types.h>"
    yield ""
    yield "struct folio;"
    yield "struct mem_cgroup;"
    yield ""
    yield from limits(contract, "kernel")
    yield ""
    yield from shared_abi(contract)
    yield ""
    yield "/* Members of cache_ext_ops, as bpf_prog->expected_attach_type counts them. */"
    yield "enum cache_ext_member {"
    for number, op in enumerate(contract["ops"]):
        if "id" in op:
            yield f"\t{op['id']} = {number},"
    yield "\tCACHE_EXT_MEMBERS,"
    yield "};"
    yield ""
    yield "enum cache_ext_stat_item {"
    for item in contract["statistics"].values():
        if "counter" in item:
            yield f"\t{item['counter']},"
    yield "\tCES_NR,"
    yield "};"


def counter_names(contract: dict[str, Any]) -> Iterator[str]:
    """kernel/cache_ext/counter_names.h"""
    yield "static const char * const cache_ext_counter_names[CES_NR] = {"
    for key, item in contract["statistics"].items():
        if "counter" in item:
            yield f'\t[{item["counter"]}] = "{key}",'
    yield "};"


def x_macro(name: str, rows: list[list[str]]) -> Iterator[str]:
    lines = [f"#define {name}(X)", *(f"\tX({', '.join(row)})" for row in rows)]
    for line in lines[:-1]:
        yield f"{line} \\"
    yield lines[-1]


def statistics_table(contract: dict[str, Any], page: str) -> str:
    """Return docs/kernel-interface.md with its table of statistics updated."""
    rows = [f"| {key} | {item['unit']} | {item['doc']} |" for key, item in contract["statistics"].items()]
    table = "\n".join(["| key | unit | meaning |", "| --- | --- | --- |", *rows])
    begin, end = f"<!-- statistics: {MADE} -->", "<!-- end of statistics -->"
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    assert found, "docs/kernel-interface.md lacks the marks around its table of statistics"
    return f"{before}{begin}\n\n{table}\n\n{end}{after}"


def files() -> dict[Path, str]:
    """Map each generated file to its text."""
    with (ROOT / "compiler/contract.toml").open("rb") as file:
        contract = tomllib.load(file)
    include = ROOT / "runtime/include/cpol"
    page = ROOT / "docs/kernel-interface.md"
    gpl, mit = "GPL-2.0", "MIT"
    return {
        ROOT / "compiler/contract.py": python(contract),
        include / "contract.h": c_file(mit, "CPOL_CONTRACT_H", "Limits.", cpol_header(contract)),
        include / "cache_ext_abi.h": c_file(
            f"{gpl}-only", "CPOL_CACHE_EXT_ABI_H", "What a program shares with the kernel.", abi_header(contract)
        ),
        ROOT / "runtime/loader/contract.h": c_file(
            mit, "LOADER_CONTRACT_H", "Limits, manifest, statistics.", loader_header(contract)
        ),
        ROOT / "kernel/cache_ext/contract.h": c_file(
            gpl, "_MM_CACHE_EXT_CONTRACT_H", "", kernel_header(contract)
        ).replace(f"/* {MADE}  */", f"/* {MADE} */"),
        ROOT / "kernel/cache_ext/counter_names.h": c_file(
            gpl, "_MM_CACHE_EXT_COUNTER_NAMES_H", "For stats.c.", counter_names(contract)
        ),
        page: statistics_table(contract, page.read_text(encoding="utf-8")),
    }


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
