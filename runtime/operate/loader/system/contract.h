/* SPDX-License-Identifier: MIT */
/* Made from compiler/contract.toml by scripts/contract.py. Limits, manifest, statistics. */
#ifndef LOADER_CONTRACT_H
#define LOADER_CONTRACT_H

/* Lists that are not in an array. */
#define MAX_LISTS 8
/* Arrays of lists. */
#define MAX_LIST_ARRAYS 4
/* Lists in all arrays of lists. */
#define MAX_LIST_ARRAY 16384
/* Lists whose sizes the kernel's statistics show one by one. */
#define STAT_LISTS 16
/* Elements of a table. */
#define MAX_TABLE 16777216
/* Bytes of record that the kernel keeps beside a folio. */
#define MAX_META 64
/* Milliseconds between two ticks. */
#define MAX_TICK_MS 3600000
/* Keys of an input in the kernel; prefixes of a page input. */
#define INPUT_ENTRIES 65536
/* Params of a policy. */
#define MAX_PARAMS 128
/* Ghosts of a policy. */
#define MAX_GHOSTS 16
/* Inputs of a policy. */
#define MAX_INPUTS 16
/* Members of an enum that a param or an input can have. */
#define MAX_MEMBERS 64
/* Ghosts, tables and inputs in all: maps, of which a program can use 64. */
#define MAX_MAPS 56
/* Tokens of what the loader computes at attach. */
#define MAX_TOKENS 128

#define CPOL_VERSION "0.1.0"
#define MANIFEST_VERSION 1

/* X(name): the first word of each line of a manifest but the first. */
#define MANIFEST_LINES(X) \
	X(profile) \
	X(params) \
	X(param) \
	X(input) \
	X(array) \
	X(ghost) \
	X(states) \
	X(state) \
	X(table) \
	X(lists) \
	X(tick) \
	X(pin) \
	X(keep) \
	X(meta)

/* X(name, ENUMERATOR, operands): what is computed at attach, in reverse Polish. */
#define FORMULA_TOKENS(X) \
	X(capacity, TOKEN_CAPACITY, 0) \
	X(to_fix, TOKEN_TO_FIX, 1) \
	X(to_u64, TOKEN_TO_U64, 1) \
	X(to_s64, TOKEN_TO_S64, 1) \
	X(floor, TOKEN_FLOOR, 1) \
	X(ceil, TOKEN_CEIL, 1) \
	X(add, TOKEN_ADD, 2) \
	X(sub, TOKEN_SUB, 2) \
	X(mul, TOKEN_MUL, 2) \
	X(div, TOKEN_DIV, 2) \
	X(mod, TOKEN_MOD, 2) \
	X(min, TOKEN_MIN, 2) \
	X(max, TOKEN_MAX, 2)

/* X(key, counted): what the kernel tells of a policy, in the order of output. counted: a number. */
#define STATISTICS(X) \
	X(cgroup, 0) \
	X(name, 0) \
	X(state, 0) \
	X(until_then, 0) \
	X(reason, 0) \
	X(exit, 0) \
	X(code, 0) \
	X(message, 0) \
	X(ended_ms, 0) \
	X(added, 1) \
	X(adopted, 1) \
	X(accessed, 1) \
	X(removed, 1) \
	X(hits, 1) \
	X(misses, 1) \
	X(refaults, 1) \
	X(ticks, 1) \
	X(requests, 1) \
	X(calls, 1) \
	X(wanted, 1) \
	X(proposed, 1) \
	X(evicted, 1) \
	X(refused_dirty, 1) \
	X(refused_writeback, 1) \
	X(refused_locked, 1) \
	X(refused_busy, 1) \
	X(refused_referenced, 1) \
	X(refused_other, 1) \
	X(refused_admission, 1) \
	X(admit_overruled, 1) \
	X(fallback, 1) \
	X(stalled, 1) \
	X(overruns, 1) \
	X(offences, 1) \
	X(contended, 1) \
	X(near_oom, 1) \
	X(nomem, 1) \
	X(pin_refused, 1) \
	X(pin_kept, 1) \
	X(pin_overruled, 1) \
	X(reclaim_asked, 1) \
	X(reclaim_done, 1) \
	X(reclaim_late, 1) \
	X(migrated, 1) \
	X(split, 1) \
	X(owned, 1) \
	X(pinned, 1) \
	X(pin_limit, 1) \
	X(lists, 1) \
	X(nr_lists, 1) \
	X(listed, 1) \
	X(capacity, 1) \
	X(untracked, 1) \
	X(prog_ns, 1) \
	X(memory, 1) \
	X(shared, 1) \
	X(mapped, 1) \
	X(unseen, 1)

/* X(key, counted): what the kernel tells of a policy, in the order of output. counted: a number. */
#define PREFETCH_STATISTICS(X) \
	X(cgroup, 0) \
	X(name, 0) \
	X(state, 0) \
	X(until_then, 0) \
	X(exit, 0) \
	X(code, 0) \
	X(message, 0) \
	X(ended_ms, 0) \
	X(faults, 1) \
	X(cached, 1) \
	X(asked, 1) \
	X(prefetched, 1) \
	X(used, 1) \
	X(late, 1) \
	X(wasted, 1) \
	X(out_of_range, 1) \
	X(duplicates, 1) \
	X(over_limit, 1) \
	X(foreign, 1) \
	X(absent, 1) \
	X(defaulted, 1) \
	X(nomem, 1) \
	X(ra_asked, 1) \
	X(ra_wanted, 1) \
	X(ra_prefetched, 1) \
	X(ra_used, 1) \
	X(ra_wasted, 1) \
	X(over_share, 1) \
	X(ra_defaulted, 1) \
	X(opened, 1) \
	X(files_left, 1) \
	X(ranges, 1) \
	X(dropped, 1) \
	X(left, 1) \
	X(flushed, 1) \
	X(waited, 1) \
	X(deferred, 1) \
	X(skipped, 1) \
	X(deferred_us, 1) \
	X(out_asked, 1) \
	X(out_kept, 1) \
	X(out_refused, 1) \
	X(out_overruled, 1) \
	X(offences, 1) \
	X(latency, 1) \
	X(prog_ns, 1) \
	X(waiting, 1) \
	X(memory, 1)

#endif
