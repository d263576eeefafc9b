"""Compile policies against the headers for upstream's interface, with our kernel's names in place of upstream's.

No kernel here has upstream's interface, but ours has equivalent functions. So the programs' own parts run on it:
records in a hash map, sizes, capacity, the two passes of `evict lowest`, bounds of scans. The verifier of 6.12 checks
them, and the page cache is under pressure. Upstream's functions themselves are not tested.

One difference needs a workaround. A folio whose eviction upstream's kernel refuses leaves the policy; our kernel
returns it to its list. Such a folio has no record, so a scan that meets it removes it from its list.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from cpol.compiler import compile_file
from cpol.compiler.analysis.profile import refusals
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.backend import bpf, c
from cpol.compiler.compiled import compiled
from cpol.compiler.policies import STDLIB, stdlib_names
from cpol.compiler.toolchain.clang import clang, llvm
from cpol.compiler.toolchain.target import LAYERS
from cpol.kernel import profiles

COUNTERS = """
struct cpol_atomic { s64 counter; };
struct page_counter { struct cpol_atomic usage; unsigned long high, max; struct page_counter *parent; };
struct mem_cgroup { struct page_counter memory; };
"""
FUNCTIONS = """
s32 bpf_cache_ext_list_del(struct folio *folio) CPOL_KSYM;
#define CPOL_FOLIO_FLAGS(f) ((f)->flags)
#define CPOL_LARGE_PAGES(f) ((f)->_folio_nr_pages)
static long (*const bpf_map_update_elem)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*const bpf_map_delete_elem)(void *map, const void *key) = (void *)3;
"""
LISTS = """	for (int i = 0; i < CPOL_N_LISTS; i++)
		if (bpf_cache_ext_list_create(c.memcg) != i)
			return -22; /* EINVAL */
"""
NEXT = "	return bpf_iter_cache_ext_list_next(scan->iter);\n"
NEXT_OF_OURS = """	{
		struct folio *f = bpf_iter_cache_ext_list_next(scan->iter);

#if CPOL_HAS_NODE
		if (f && !cpol_find(f))
			bpf_cache_ext_list_del(f);
#endif
		return f;
	}
"""


def carried() -> dict[str, Path]:
    """The sources of the stdlib policies that upstream's interface carries, by name."""
    profile = profiles.load("upstream-2026")
    policies = {name: compiled(STDLIB / f"{name}.cpol").policy for name in stdlib_names()}
    found = {name: refusals(policy, profile, Setting.of(policy, 1 << 18)) for name, policy in policies.items()}
    return {name: STDLIB / f"{name}.cpol" for name, refused in found.items() if not refused}


def make_headers(folder: Path) -> None:
    """Copy the headers to `folder`/cpol, with an upstream_kernel.h that declares our kernel's functions.

    Our kernel makes a policy's lists by itself, and its `init` must not sleep.
    """
    shutil.copytree(bpf.INCLUDE / "cpol", folder / "cpol")
    ours = (folder / "cpol" / "cache_ext_kernel.h").read_text()
    trial = "#define cache_ext_eviction_ctx cache_ext_evict_ctx\n" + swap(ours, "struct mem_cgroup {};", COUNTERS)
    (folder / "cpol" / "upstream_kernel.h").write_text(trial + FUNCTIONS)
    scans = folder / "cpol" / "upstream.h"
    scans.write_text(swap(scans.read_text(), NEXT, NEXT_OF_OURS))
    entry = folder / "cpol" / "upstream_entry.h"
    first = "\t.init = (void *)cpol_init,\n"
    text = swap(entry.read_text(), first, f"{first}\t.name = CPOL_POLICY,\n\t.nr_lists = CPOL_N_LISTS,\n")
    entry.write_text(swap(swap(text, LISTS, ""), "struct_ops.s/init", "struct_ops/init"))


def swap(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


def compile_trial(source: Path, headers: Path, out: Path) -> None:
    """Compile a policy to an object with a manifest that our loader accepts."""
    policy = compile_file(source)
    scratch = out.parent / f"{out.name}.scratch"
    scratch.mkdir()
    (scratch / "cpol").symlink_to(headers / "cpol")
    (scratch / source.name).symlink_to(source)
    (scratch / "trial.c").write_text(c.generate(replace(policy, path=source.name)), encoding="utf-8")
    flags = (*bpf.FLAGS, *LAYERS["upstream"], "-I.", f"-DCPOL_MAP_NAME=trial_{policy.name}")
    bpf.run([clang(), *flags, "-c", "trial.c", "-o", "trial.o"], scratch, policy)
    bpf.run([llvm("llvm-strip"), "-g", "trial.o"], scratch, policy)
    (scratch / "trial.o").rename(out)
