"""kernel/module/callsites.c: the module sees whether the kernel calls what it hooks, in made-up kernels."""

from __future__ import annotations

import errno
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

HARNESS = Path(__file__).with_name("callsites_harness.c")
HEADERS = ("generated/utsrelease.h", "linux/bitops.h", "linux/cgroup.h", "linux/unaligned.h")

# As in Debian's 6.12.117: each function, and what it calls. Others are inlined.
KERNEL: dict[str, list[str]] = {
    "try_to_free_pages": ["do_try_to_free_pages"],
    "try_to_free_mem_cgroup_pages": ["do_try_to_free_pages"],
    "do_try_to_free_pages": ["shrink_node"],
    "kswapd": ["balance_pgdat"],
    "balance_pgdat": ["shrink_node"],
    "node_reclaim": ["__node_reclaim"],
    "__node_reclaim": ["shrink_node"],
    "mem_cgroup_shrink_node": ["shrink_lruvec"],
    "shrink_node": ["shrink_one", "shrink_lruvec"],
    "shrink_one": ["try_to_shrink_lruvec"],
    "shrink_lruvec": ["try_to_shrink_lruvec"],
    "try_to_shrink_lruvec": ["evict_folios"],
    "evict_folios": [],
    "shrink_folio_list": ["folio_referenced", "add_to_swap", "can_split_folio"],
    "folio_referenced": [],
    "add_to_swap": [],
    "can_split_folio": [],
    "filemap_read": ["folio_mark_accessed", "filemap_get_pages"],
    "filemap_get_pages": ["page_cache_sync_ra", "page_cache_async_ra"],
    "page_cache_sync_ra": [],
    "page_cache_async_ra": [],
    "mark_page_accessed": ["folio_mark_accessed"],
    "folio_mark_accessed": [],
    "folio_migrate_flags": ["mem_cgroup_migrate"],
    "mem_cgroup_migrate": [],
    "replace_page_cache_folio": ["mem_cgroup_replace_folio"],
    "mem_cgroup_replace_folio": [],
    "split_huge_page_to_list_to_order": ["split_page_memcg"],
    "split_page_memcg": [],
    "handle_mm_fault": ["__handle_mm_fault"],
    "__handle_mm_fault": ["do_swap_page"],
    "do_swap_page": ["swap_cache_get_folio", "swapin_readahead"],
    "swap_cache_get_folio": [],
    "swapin_readahead": [],
    "delete_from_swap_cache": ["__delete_from_swap_cache"],
    "__delete_from_swap_cache": [],
    "finish_fault": ["set_pte_range"],
    "set_pte_range": [],
    "vfs_open": ["do_dentry_open"],
    "finish_open": ["do_dentry_open"],
    "do_dentry_open": [],
    "__fput": ["locks_remove_file"],
    "locks_remove_file": [],
    "generic_file_read_iter": ["filemap_read"],
    "filemap_splice_read": [],
    "__generic_file_write_iter": ["generic_perform_write"],
    "generic_perform_write": [],
    "iomap_file_buffered_write": [],
    "mem_cgroup_css_offline": [],
}

PREFETCH_HOOKS = {
    "do_swap_page",
    "swapin_readahead",
    "swap_cache_get_folio",
    "__delete_from_swap_cache",
    "page_cache_sync_ra",
    "page_cache_async_ra",
    "set_pte_range",
    "do_dentry_open",
    "locks_remove_file",
    "filemap_read",
    "generic_perform_write",
}


@pytest.fixture(scope="module", params=["x86", "arm64"])
def harness(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """callsites.c for this processor, with empty headers of the kernel's names."""
    folder = tmp_path_factory.mktemp("harness")
    for header in HEADERS:
        (folder / header).parent.mkdir(exist_ok=True)
        (folder / header).touch()
    program = folder / "harness"
    flags = ["-O1", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-fsanitize=undefined", f"-I{folder}"]
    if request.param == "arm64":
        flags.append("-DARM64")
    done = subprocess.run(["gcc", *flags, "-o", program, HARNESS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def load(harness: Path, changes: Mapping[str, list[str] | None] = {}) -> list[str]:
    """What the module says when the kernel with these changes loads it; the last line is the error."""
    functions = {name: called for name, called in {**KERNEL, **changes}.items() if called is not None}
    lines = [
        " ".join([name, *(callee if ":" in callee else f"call:{callee}" for callee in called)])
        for name, called in functions.items()
    ]
    done = subprocess.run([harness], input="\n".join(lines), capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.splitlines()


def refused(harness: Path, changes: Mapping[str, list[str] | None]) -> str:
    """The one message of a kernel that is refused."""
    *says, code = load(harness, changes)
    assert int(code) == -errno.EOPNOTSUPP
    assert len(says) == 1 and says[0].startswith("cache_ext: ")
    return says[0]


def test_debians_kernel_is_taken(harness: Path):
    assert load(harness) == ["0"]


def test_nothing_inlined_is_taken(harness: Path):
    changes: dict[str, list[str] | None] = {
        "do_try_to_free_pages": ["shrink_zones"],
        "shrink_zones": ["shrink_node"],
        "balance_pgdat": ["kswapd_shrink_node"],
        "kswapd_shrink_node": ["shrink_node"],
        "shrink_node": ["lru_gen_shrink_node", "shrink_node_memcgs"],
        "shrink_node_memcgs": ["shrink_lruvec"],
        "lru_gen_shrink_node": ["shrink_one", "shrink_many"],
        "shrink_many": ["shrink_one"],
        "shrink_lruvec": ["lru_gen_shrink_lruvec"],
        "lru_gen_shrink_lruvec": ["try_to_shrink_lruvec"],
        "split_huge_page_to_list_to_order": ["__split_huge_page"],
        "__split_huge_page": ["split_page_memcg"],
        "shrink_folio_list": ["folio_check_references", "add_to_swap", "can_split_folio"],
        "folio_check_references": ["folio_referenced"],
    }
    assert load(harness, changes) == ["0"]


CALLS = [(caller, callee) for caller, called in KERNEL.items() for callee in called]


@pytest.mark.parametrize(("caller", "callee"), CALLS)
def test_missing_call_is_named(harness: Path, caller: str, callee: str):
    """The compiler has put the callee into this caller."""
    others = [each for each in KERNEL[caller] if each != callee]
    says = refused(harness, {caller: [*others, "mem_cgroup_css_offline"]})
    assert f"{caller}() of this kernel (6.12.0-test) does not call " in says
    hooked = {
        "folio_referenced",
        "add_to_swap",
        "can_split_folio",
        "folio_mark_accessed",
        "shrink_lruvec",
        "evict_folios",
        "split_page_memcg",
    } | PREFETCH_HOOKS
    hooked |= {name for name in KERNEL if name.startswith("mem_cgroup_")}
    assert any(f"{name}(), which the module hooks" in says for name in hooked)


@pytest.mark.parametrize("how", ["call", "jump", "pad"])
def test_kinds_of_calls(harness: Path, how: str, request: pytest.FixtureRequest):
    if how == "pad" and "arm64" in request.node.name:
        how = "call"
    assert load(harness, {"shrink_one": [f"{how}:try_to_shrink_lruvec"]}) == ["0"]


@pytest.mark.parametrize("suffix", ["isra.0", "constprop.0", "part.0", "isra.0.constprop.0"])
@pytest.mark.parametrize("name", ["shrink_lruvec", "folio_mark_accessed", "mem_cgroup_css_offline"])
def test_copy_of_a_hooked_function_is_named(harness: Path, name: str, suffix: str):
    assert f"has {name}.{suffix}, a copy of" in refused(harness, {f"{name}.{suffix}": []})


def test_cold_part_is_no_copy(harness: Path):
    assert load(harness, {"shrink_lruvec.cold": [], "folio_mark_accessed.part.0.cold": []}) == ["0"]


def test_caller_with_another_name_is_looked_at(harness: Path):
    """shrink_one.isra.0 stands for shrink_one, as if it had no suffix."""
    renamed: dict[str, list[str] | None] = {
        "shrink_one": None,
        "shrink_one.isra.0": ["try_to_shrink_lruvec"],
        "shrink_node": ["shrink_one.isra.0", "shrink_lruvec"],
    }
    assert load(harness, renamed) == ["0"]
    says = refused(harness, {**renamed, "shrink_one.isra.0": []})
    assert "shrink_one() of this kernel" in says


def test_each_copy_of_a_caller_must_call(harness: Path):
    says = refused(harness, {"shrink_one.constprop.0": []})
    assert "shrink_one() of this kernel (6.12.0-test) does not call evict_folios()" in says


@pytest.mark.parametrize("name", ["mem_cgroup_shrink_node", "split_page_memcg", "kswapd"])
def test_missing_function_is_named(harness: Path, name: str):
    changes: dict[str, list[str] | None] = {
        caller: [callee for callee in called if callee != name] for caller, called in KERNEL.items()
    }
    assert f"has no function {name}," in refused(harness, {**changes, name: None})


def test_names_that_only_begin_alike_are_others(harness: Path):
    assert load(harness, {"shrink_lruvec_more": [], "kswapd_run": [], "shrink": []}) == ["0"]
