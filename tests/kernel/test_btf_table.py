"""kernel/module/btf_table.c and btf_text.h: prototypes and layouts are compared with a kernel's BTF.

The kernels here are small C files whose BTF pahole makes. The module compares with the same code when it is loaded.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

MODULE = Path(__file__).resolve().parents[2] / "kernel" / "module"

PREAMBLE = """
struct folio { unsigned long flags; };
struct page { unsigned long flags; };
struct undefined;
union both { int a; long b; };
enum lru_list { INACTIVE, ACTIVE };
typedef struct { int counter; } atomic_t;
typedef unsigned int gfp_t;
typedef enum { OFF, ON } power_t;
"""

PROTOTYPES = {
    "void NAME(void)": "void (void)",
    "_Bool NAME(struct folio *f)": "_Bool (struct folio *)",
    "long NAME(int a, unsigned b, unsigned char c, unsigned long d)": "long int (int, unsigned int, unsigned char, "
    "long unsigned int)",
    "const char *NAME(const struct undefined *u)": "char const * (struct undefined const *)",
    "int NAME(char *const *names)": "int (char * const *)",
    "gfp_t NAME(enum lru_list lru, power_t power)": "unsigned int (enum lru_list, power_t)",
    "union both *NAME(atomic_t *a)": "union both * (atomic_t *)",
    "int NAME(int (*fn)(void *data, long n), void *data)": "int (typeof(int (void *, long int)) *, void *)",
    "int NAME(int (*matrix)[4])": "int (typeof(typeof(int) [4]) *)",
    "int NAME(const char *format, ...)": "int (char const *, ...)",
    "void NAME(volatile int *at, void *restrict to)": "void (int volatile *, void * restrict)",
}

KERNEL = """
enum lru_list { INACTIVE, ACTIVE };
struct folio;
struct undefined;
struct inner { int low; int high; };
struct scan_control {
    unsigned long nr_to_reclaim;
    struct inner pair;
    union { int order; struct { short a, b; }; };
    unsigned int may_swap : 1, may_unmap : 2;
    int per_list[4];
    struct folio *next;
    enum lru_list lru;
} sc;
typedef void (*btf_trace_added)(void *, struct folio *);
btf_trace_added probe;
unsigned int shrink(struct folio *folio, struct scan_control *sc, int nr) { return 0; }
static unsigned int called_nowhere_else(void) { return shrink(0, 0, 0); }
unsigned int use(void) { return called_nowhere_else(); }
"""

LISTS = {"STOCK_FUNCTIONS": ["shrink"], "STOCK_TRACEPOINTS": ["btf_trace_added"], "STOCK_LAYOUTS": ["scan_control"]}


def call(*words: str | Path) -> subprocess.CompletedProcess[str]:
    # The tool leaves it to its end to free memory. pahole 1.30 runs this program to add a section.
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "LC_ALL": "C.UTF-8", "LLVM_OBJCOPY": "objcopy"}
    command = [str(word) for word in words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def make_tool(folder: Path, lists: dict[str, list[str]]) -> Path:
    """The tool, for these names in place of those in stock_list.h."""
    lines = ["#define _CACHE_EXT_STOCK_LIST_H"]
    for name in ("STOCK_FUNCTIONS", "HOOKED_FUNCTIONS", "STOCK_TRACEPOINTS", "STOCK_LAYOUTS"):
        lines.append(f"#define {name}(F) " + " ".join(f"F({each})" for each in lists.get(name, [])))
    (folder / "list.h").write_text("\n".join(lines) + "\n")
    tool = folder / "btf_table"
    flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover"]
    done = call("gcc", *flags, "-include", folder / "list.h", "-o", tool, MODULE / "btf_table.c")
    assert done.returncode == 0, done.stderr
    return tool


def make_kernel(folder: Path, *sources: str) -> Path:
    """An ELF file with the BTF of these sources."""
    files = []
    for i, source in enumerate(sources):
        files.append(folder / f"kernel{i}.c")
        files[-1].write_text(source)
    image = folder / "vmlinux"
    done = call("gcc", "-g", "-O0", "-w", "-Wno-int-conversion", "-shared", "-fPIC", "-nostdlib", "-o", image, *files)
    assert done.returncode == 0, done.stderr
    done = call("pahole", "-J", image)
    assert done.returncode == 0, done.stderr
    return image


def make_table(folder: Path, tool: Path, source: str) -> Path:
    """The table that the tool makes for a kernel of this source."""
    done = call(tool, make_kernel(folder, source))
    assert (done.returncode, done.stderr) == (0, "")
    table = folder / "stock_table.h"
    table.write_text(done.stdout)
    return table


@pytest.fixture(scope="module")
def tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tool for LISTS."""
    return make_tool(tmp_path_factory.mktemp("tool"), LISTS)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory, tool: Path) -> Path:
    """Its table for KERNEL; `vmlinux` is beside it."""
    return make_table(tmp_path_factory.mktemp("table"), tool, KERNEL)


def compiled(folder: Path, table: Path, declarations: str) -> subprocess.CompletedProcess[str]:
    """Compile the declarations of a table after these, as prototypes.c does."""
    source = folder / "check.c"
    source.write_text(
        "#include <assert.h>\n#include <stdbool.h>\n#include <stddef.h>\n#define __initdata __attribute__((unused))\n"
        "#define sizeof_field(type, member) sizeof(((type *)0)->member)\n"
        "enum { BTF_KIND_FUNC, BTF_KIND_TYPEDEF, BTF_KIND_STRUCT };\n"
        "struct btf_entry { unsigned int kind; const char *name, *text; bool seen; };\n"
        f'{declarations}\n#include "{table}"\n'
    )
    return call("gcc", "-std=gnu11", "-fsyntax-only", source)


def without_bodies(source: str) -> str:
    return "\n".join(line for line in source.splitlines() if "{ return" not in line)


@pytest.mark.slow
def test_prototypes_as_text(tmp_path: Path):
    names = {f"f{i}": prototype for i, prototype in enumerate(PROTOTYPES)}
    declared = {name: prototype.replace("NAME", name) for name, prototype in names.items()}
    source = PREAMBLE + "".join(f"{each} {{ for (;;); }}\n" for each in declared.values())
    table = make_table(tmp_path, make_tool(tmp_path, {"STOCK_FUNCTIONS": list(names)}), source)
    lines = table.read_text().splitlines()
    for name, prototype in names.items():
        assert f"typeof({PROTOTYPES[prototype]}) {name};" in lines, prototype
        assert f'\t{{ BTF_KIND_FUNC, "{name}", "{PROTOTYPES[prototype]}" }},' in lines, prototype
    right = PREAMBLE + "".join(f"{each};\n" for each in declared.values())
    done = compiled(tmp_path, table, right)
    assert done.returncode == 0, done.stderr


def test_right_declarations_compile(table: Path, tmp_path: Path):
    done = compiled(
        tmp_path, table, without_bodies(KERNEL) + "unsigned int shrink(struct folio *, struct scan_control *, int);"
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "wrong",
    [
        "unsigned long shrink(struct folio *, struct scan_control *, int);",
        "int shrink(struct folio *, struct scan_control *, int);",
        "unsigned int shrink(struct folio *, struct scan_control *);",
        "unsigned int shrink(struct scan_control *, struct folio *, int);",
        "unsigned int shrink(struct undefined *, struct scan_control *, int);",
        "unsigned int shrink(const struct folio *, struct scan_control *, int);",
        "unsigned int shrink(struct folio *, struct scan_control *, unsigned int);",
        "unsigned int shrink(struct folio *, struct scan_control *, long);",
    ],
)
def test_wrong_declaration_does_not_compile(table: Path, tmp_path: Path, wrong: str):
    done = compiled(tmp_path, table, without_bodies(KERNEL) + wrong)
    assert done.returncode != 0
    assert "conflicting types for ‘shrink’" in done.stderr
    assert "unsigned int(struct folio *, struct scan_control *, int)" in done.stderr


CHANGES = {
    "a member less": ("unsigned long nr_to_reclaim;", ""),
    "members swapped": ("int low; int high;", "int high; int low;"),
    "a smaller member": ("unsigned long nr_to_reclaim;", "unsigned int nr_to_reclaim, reserved;"),
    "another sign": ("unsigned long nr_to_reclaim;", "long nr_to_reclaim;"),
    "a wider bit field": ("may_unmap : 2", "may_unmap : 3"),
    "an array": ("int per_list[4];", "int per_list[3]; int more;"),
    "another pointer": ("struct folio *next;", "struct undefined *next;"),
    "in a union": ("short a, b;", "short b, a;"),
    "no union": ("union { int order; struct { short a, b; }; };", "struct { int order; };"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_other_layout_is_seen(tool: Path, table: Path, tmp_path: Path, change: str):
    """The running kernel's struct differs from that of the kernel that was built for."""
    assert call(tool, "--check", table, table.with_name("vmlinux")).returncode == 0
    was, becomes = CHANGES[change]
    assert was in KERNEL
    done = call(tool, "--check", table, make_kernel(tmp_path, KERNEL.replace(was, becomes)))
    assert done.returncode == 1
    assert done.stderr.startswith("btf_table: scan_control differs: ") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("change", ["a member less", "members swapped", "a smaller member", "an array"])
def test_other_layout_does_not_compile(table: Path, tmp_path: Path, change: str):
    """The headers' struct differs from that of the kernel's BTF."""
    headers = without_bodies(KERNEL.replace(*CHANGES[change]))
    # The nested struct's own members are no members of scan_control; its hash is compared when the module is loaded.
    done = compiled(tmp_path, table, headers)
    assert (done.returncode != 0) == (change != "members swapped")


@pytest.mark.parametrize(
    ("was", "becomes", "says"),
    [
        (
            "struct scan_control *sc, int nr",
            "struct scan_control *sc, long nr",
            "shrink differs: unsigned int (struct folio *, struct scan_control *, long int); the table has "
            "unsigned int (struct folio *, struct scan_control *, int)",
        ),
        ("(void *, struct folio *)", "(void *, struct folio *, int)", "btf_trace_added differs: "),
        ("unsigned int shrink(", "void *shrink(", "shrink differs: void * ("),
        ("shrink", "shrunk", "shrink: the kernel's BTF does not have it"),
    ],
)
def test_other_prototype_is_seen(tool: Path, table: Path, tmp_path: Path, was: str, becomes: str, says: str):
    done = call(tool, "--check", table, make_kernel(tmp_path, KERNEL.replace(was, becomes)))
    assert done.returncode == 1
    assert f"btf_table: {says}" in done.stderr


@pytest.mark.slow
def test_missing_function_is_named(tmp_path: Path):
    tool = make_tool(tmp_path, {"STOCK_FUNCTIONS": ["absent"]})
    done = call(tool, make_kernel(tmp_path, KERNEL))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "btf_table: absent: the kernel's BTF does not have it\n"


def test_two_types_of_a_name_are_refused(tool: Path, tmp_path: Path):
    other = "struct scan_control { char none; } other;\n"
    done = call(tool, make_kernel(tmp_path, KERNEL, other))
    assert done.returncode == 1
    assert "btf_table: scan_control is ambiguous: " in done.stderr


def test_two_types_of_a_name_differ_from_a_table(tool: Path, table: Path, tmp_path: Path):
    done = call(tool, "--check", table, make_kernel(tmp_path, KERNEL, "struct scan_control { char none; } other;\n"))
    assert done.returncode == 1
    assert done.stderr.startswith("btf_table: scan_control differs: 1 bytes ")


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"no ELF file, but as long as the header of one: " * 4])
def test_not_a_kernel(tool: Path, tmp_path: Path, content: bytes):
    file = tmp_path / "file"
    file.write_bytes(content)
    done = call(tool, file)
    assert done.returncode == 1
    assert done.stderr == f"btf_table: {file}: is not a 64-bit ELF file\n"


@pytest.mark.parametrize(("words", "says"), [((), "usage"), (("a", "b"), "usage"), (("absent",), "cannot be read")])
def test_usage(tool: Path, words: Sequence[str], says: str):
    done = call(tool, *words)
    assert done.returncode == 1
    assert says in done.stderr


def test_table_of_no_kernel_is_refused(tool: Path, table: Path, tmp_path: Path):
    part = tmp_path / "part.h"
    part.write_text("".join(table.read_text().splitlines(keepends=True)[:-2]))
    done = call(tool, "--check", part, table.with_name("vmlinux"))
    assert done.returncode == 1
    assert done.stderr == f"btf_table: {part}: is not a whole table\n"
