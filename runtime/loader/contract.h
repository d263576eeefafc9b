/* SPDX-License-Identifier: MIT */
/* Made from compiler/contract.toml by scripts/contract.py. Limits, manifest, statistics. */
#ifndef LOADER_CONTRACT_H
#define LOADER_CONTRACT_H

/* Lists that are not in an array. */
#define MAX_LISTS 8
/* Lists in an array of lists. */
#define MAX_LIST_ARRAY 16384
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
/* Tables of a policy whose size only the loader knows. */
#define MAX_TABLES 16
/* Inputs of a policy. */
#define MAX_INPUTS 16
/* Members of an enum that a param or an input can have. */
#define MAX_MEMBERS 64
/* Tokens of what the loader computes at attach. */
#define MAX_TOKENS 128

#define MANIFEST_VERSION 1

/* X(name): the first word of each line of a manifest but the first. */
#define MANIFEST_LINES(X) \
	X(profile) \
	X(params) \
	X(param) \
	X(input) \
	X(ghost) \
	X(table) \
	X(lists) \
	X(tick) \
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

/* X(key): what the kernel tells of a policy, in the order in which it is shown. */
#define STATISTICS(X) \
	X(cgroup) \
	X(name) \
	X(state) \
	X(reason) \
	X(added) \
	X(accessed) \
	X(removed) \
	X(hits) \
	X(misses) \
	X(refaults) \
	X(ticks) \
	X(requests) \
	X(calls) \
	X(wanted) \
	X(proposed) \
	X(evicted) \
	X(refused_dirty) \
	X(refused_writeback) \
	X(refused_locked) \
	X(refused_busy) \
	X(refused_referenced) \
	X(refused_other) \
	X(refused_admission) \
	X(admit_overruled) \
	X(fallback) \
	X(stalled) \
	X(overruns) \
	X(offences) \
	X(near_oom) \
	X(nomem) \
	X(migrated) \
	X(split) \
	X(owned) \
	X(lists) \
	X(nr_lists) \
	X(listed) \
	X(capacity) \
	X(untracked) \
	X(prog_ns) \
	X(memory) \
	X(shared) \
	X(mapped) \
	X(unseen)

#endif
