"""The contract of Python, C and the kernel. Made from compiler/contract.toml by scripts/contract.py."""

from __future__ import annotations

FIX_FRACTION_BITS = 16
"""Fraction bits of `fix` (Q47.16)."""
MAX_BATCH = 32
"""Pages that one call of the evict handler can be asked for."""
EVICT_ROUNDS = 8
"""Calls of the evict handler in one request, before the machine falls back."""
PREFETCH_TARGETS = 64
"""Pages that one call of a handler can prefetch."""
MAX_LISTS = 8
"""Lists that are not in an array."""
MAX_LIST_ARRAYS = 4
"""Arrays of lists."""
MAX_LIST_ARRAY = 16384
"""Lists in all arrays of lists."""
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
MAX_TARGETS = 64
"""Pages that one call of a prefetching handler can ask for."""
DEFAULT_WASTE_PERCENT = 90
"""Share of wasted pages beyond which a prefetching policy is stopped, if it states none."""
WASTE_WINDOW = 512
"""Prefetched pages, used or wasted, after which the watchdog looks at their share."""
WASTE_OFFENCES = 4
"""Windows in a row with too much waste, until a policy is stopped."""
UNUSED_PERCENT = 25
"""Percent of its cgroup's limit that a policy's prefetched pages may lie unused in: the oldest beyond are wasted."""
UNUSED_LEAST = 1024
"""So many may lie unused in a cgroup however small."""
LATENCY_BUCKETS = 24
"""Buckets of the histogram of fault latency."""
MAX_FORMULA = 128
"""Tokens of what the loader computes at attach."""

MANIFEST_VERSION = 1
MANIFEST_LINES = (
    "profile",
    "params",
    "param",
    "input",
    "array",
    "ghost",
    "states",
    "state",
    "table",
    "lists",
    "tick",
    "pin",
    "keep",
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
    "nr_lists",
    "pin_pages",
    "procs_fd",
)
"""Members of `struct cache_ext_ops`."""
KFUNCS: dict[str, tuple[str, ...]] = {
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
    "bpf_cache_ext_folio_executable": (
        "folio_added",
        "folio_accessed",
        "folio_evicted",
        "folio_removed",
        "evict_folios",
        "tick",
    ),
    "bpf_cache_ext_pin": ("folio_added", "folio_accessed", "folio_evicted", "folio_removed", "evict_folios", "tick"),
    "bpf_cache_ext_unpin": ("folio_added", "folio_accessed", "folio_evicted", "folio_removed", "evict_folios", "tick"),
    "bpf_cache_ext_folio_pinned": (
        "folio_added",
        "folio_accessed",
        "folio_evicted",
        "folio_removed",
        "evict_folios",
        "tick",
    ),
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
    "bpf_cache_ext_gone": ("folio_added", "folio_accessed", "tick"),
    "bpf_cache_ext_reclaim": ("folio_added", "folio_accessed", "tick"),
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
PREFETCH_OPS = (
    "init",
    "exit",
    "swap_fault",
    "swap_prefetch",
    "file_readahead",
    "file_opened",
    "file_read",
    "file_written",
    "swap_out",
    "cgroup_id",
    "flags",
    "waste_percent",
    "keep_pages",
    "name",
    "procs_fd",
)
"""Members of `struct prefetch_ext_ops`."""
PREFETCH_KFUNCS: dict[str, tuple[str, ...]] = {
    "bpf_prefetch_ext_slot": ("swap_prefetch",),
    "bpf_prefetch_ext_page": ("swap_prefetch",),
    "bpf_prefetch_ext_default": ("swap_prefetch",),
    "bpf_prefetch_ext_file": ("file_readahead",),
    "bpf_prefetch_ext_default_file": ("file_readahead",),
    "bpf_prefetch_ext_window": ("file_opened",),
    "bpf_prefetch_ext_leave": ("file_opened", "file_read", "file_written"),
    "bpf_prefetch_ext_drop": ("file_read", "file_written"),
    "bpf_prefetch_ext_flush": ("file_written",),
    "bpf_prefetch_ext_keep": ("swap_out",),
    "bpf_prefetch_ext_error": (
        "swap_fault",
        "swap_prefetch",
        "file_readahead",
        "file_opened",
        "file_read",
        "file_written",
        "swap_out",
    ),
}
"""Each kfunc with the members that may call it; an empty tuple means all."""
