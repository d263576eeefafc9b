"""The contract of Python, C and the kernel. Made from compiler/contract.toml by scripts/contract.py."""

from __future__ import annotations

FIX_FRACTION_BITS = 16
"""Fraction bits of `fix` (Q47.16)."""
MAX_BATCH = 32
"""Pages that one call of the evict handler can be asked for."""
EVICT_ROUNDS = 8
"""Calls of the evict handler in one request, before the machine falls back."""
MAX_LISTS = 8
"""Lists that are not in an array."""
MAX_LIST_ARRAY = 16384
"""Lists in an array of lists."""
KERNEL_LISTS = 16448
"""Lists that one policy can create in the kernel."""
STAT_LISTS = 16
"""Lists whose sizes the kernel's statistics show one by one."""
MAX_ROUNDS = 65536
"""Rounds of a `for`, and steps of one scan in the kernel."""
MAX_TABLE = 16777216
"""Elements of a table."""
MAX_RECORD = 64
"""Bytes of record that the kernel keeps beside a folio."""
MAX_TICK_MS = 3600000
"""Milliseconds between two ticks."""
MAX_INPUT_KEYS = 65536
"""Keys of an input in the kernel; prefixes of a `page` input."""
MAX_PARAMS = 128
"""Params of a policy."""
MAX_GHOSTS = 16
"""Ghosts of a policy."""
MAX_TABLES = 16
"""Tables of a policy whose size only the loader knows."""
MAX_INPUTS = 16
"""Inputs of a policy."""
MAX_MEMBERS = 64
"""Members of an enum that a param or an input can have."""
MAX_MAPS = 56
"""Ghosts, tables and inputs in all: maps, of which a program can use 64."""
MAX_FORMULA = 128
"""Tokens of what the loader computes at attach."""

MANIFEST_VERSION = 1
MANIFEST_LINES = (
    "profile",
    "params",
    "param",
    "input",
    "ghost",
    "states",
    "state",
    "table",
    "lists",
    "tick",
    "meta",
)
"""First words of the manifest's lines."""
FORMULA_TOKENS = (
    "capacity",
    "to_fix",
    "to_u64",
    "to_s64",
    "floor",
    "ceil",
    "add",
    "sub",
    "mul",
    "div",
    "mod",
    "min",
    "max",
)
"""Operations in formulas, which attach evaluates."""
REASONS = (
    "evicted",
    "deleted",
)
"""Reasons for the removal of a folio, numbered from 0."""
OPS = (
    "init",
    "exit",
    "folio_added",
    "folio_accessed",
    "folio_evicted",
    "folio_removed",
    "evict_folios",
    "tick",
    "admit_folio",
    "cgroup_id",
    "folio_data_size",
    "flags",
    "name",
    "tick_ms",
)
"""Members of `struct cache_ext_ops`."""
KFUNCS: dict[str, tuple[str, ...]] = {
    "bpf_cache_ext_list_create": ("init",),
    "bpf_cache_ext_lists_create": ("init",),
    "bpf_cache_ext_list_add": ("folio_added",),
    "bpf_cache_ext_list_add_tail": ("folio_added",),
    "bpf_cache_ext_list_move": (),
    "bpf_cache_ext_list_del": (),
    "bpf_cache_ext_evict": ("evict_folios",),
    "bpf_cache_ext_offer": ("evict_folios",),
    "bpf_cache_ext_select": ("evict_folios",),
    "bpf_cache_ext_take_offers": ("evict_folios",),
    "bpf_cache_ext_folio_data": (),
    "bpf_cache_ext_folio_list": (),
    "bpf_cache_ext_list_size": (),
    "bpf_cache_ext_size": (),
    "bpf_cache_ext_capacity": (),
    "bpf_cache_ext_tick": (
        "folio_added",
        "folio_accessed",
        "folio_evicted",
        "folio_removed",
        "evict_folios",
        "tick",
        "admit_folio",
    ),
    "bpf_cache_ext_error": (
        "folio_added",
        "folio_accessed",
        "folio_evicted",
        "folio_removed",
        "evict_folios",
        "tick",
        "admit_folio",
    ),
    "bpf_iter_cache_ext_list_new": ("evict_folios",),
    "bpf_iter_cache_ext_list_next": ("evict_folios",),
    "bpf_iter_cache_ext_list_destroy": ("evict_folios",),
    "bpf_iter_cache_ext_scan_new": (
        "folio_added",
        "folio_accessed",
        "folio_evicted",
        "folio_removed",
        "evict_folios",
        "tick",
    ),
    "bpf_iter_cache_ext_scan_next": (
        "folio_added",
        "folio_accessed",
        "folio_evicted",
        "folio_removed",
        "evict_folios",
        "tick",
    ),
    "bpf_iter_cache_ext_scan_destroy": (
        "folio_added",
        "folio_accessed",
        "folio_evicted",
        "folio_removed",
        "evict_folios",
        "tick",
    ),
}
"""Each kfunc with the members that may call it; an empty tuple means all."""
STATISTICS = {
    "cgroup": "",
    "name": "",
    "state": "",
    "reason": "",
    "exit": "",
    "code": "",
    "message": "",
    "ended_ms": "",
    "added": "count",
    "accessed": "count",
    "removed": "count",
    "hits": "count",
    "misses": "count",
    "refaults": "pages",
    "ticks": "count",
    "requests": "count",
    "calls": "count",
    "wanted": "pages",
    "proposed": "pages",
    "evicted": "pages",
    "refused_dirty": "pages",
    "refused_writeback": "pages",
    "refused_locked": "pages",
    "refused_busy": "pages",
    "refused_referenced": "pages",
    "refused_other": "pages",
    "refused_admission": "count",
    "admit_overruled": "count",
    "fallback": "pages",
    "stalled": "count",
    "overruns": "count",
    "offences": "count",
    "contended": "count",
    "near_oom": "count",
    "nomem": "count",
    "migrated": "count",
    "split": "count",
    "owned": "pages",
    "lists": "pages",
    "nr_lists": "count",
    "listed": "pages",
    "capacity": "pages",
    "untracked": "pages",
    "prog_ns": "ns",
    "memory": "bytes",
    "shared": "bytes",
    "mapped": "pages",
    "unseen": "pages",
}
"""Statistics of a policy, in the order of output, with their units; text has none."""
