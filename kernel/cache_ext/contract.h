/* SPDX-License-Identifier: GPL-2.0 */
/* Made from compiler/contract.toml by scripts/contract.py. */
#ifndef _MM_CACHE_EXT_CONTRACT_H
#define _MM_CACHE_EXT_CONTRACT_H

#include <linux/types.h>

struct folio;
struct mem_cgroup;

/* Pages that one call of the evict handler can be asked for. */
#define CACHE_EXT_BATCH 32
/* Calls of the evict handler in one request, before the machine falls back. */
#define CACHE_EXT_ROUNDS 8
/* Lists that one policy can create in the kernel. */
#define CACHE_EXT_MAX_LISTS 16448
/* Lists whose sizes the kernel's statistics show one by one. */
#define CACHE_EXT_STAT_LISTS 16
/* Rounds of a for, and steps of one scan in the kernel. */
#define CACHE_EXT_MAX_SCAN 65536
/* Bytes of record that the kernel keeps beside a folio. */
#define CACHE_EXT_MAX_DATA 64
/* Milliseconds between two ticks. */
#define CACHE_EXT_MAX_TICK_MS 3600000

struct cache_ext_evict_ctx {
	u32 request_nr_folios;	/* pages wanted, at most 32 */
	s32 nid;	/* the NUMA node that reclaim is for */
	u32 nr_evicted;	/* pages proposed so far */
};

struct cache_ext_ops {
	s32 (*init)(struct mem_cgroup *memcg);
	void (*exit)(struct mem_cgroup *memcg);
	void (*folio_added)(struct folio *folio, struct mem_cgroup *memcg);
	void (*folio_accessed)(struct folio *folio, struct mem_cgroup *memcg);
	void (*folio_evicted)(struct folio *folio, struct mem_cgroup *memcg);
	void (*folio_removed)(struct folio *folio, struct mem_cgroup *memcg,
			      u32 reason);
	void (*evict_folios)(struct cache_ext_evict_ctx *ctx,
			     struct mem_cgroup *memcg);
	void (*tick)(struct mem_cgroup *memcg);
	bool (*admit_folio)(struct folio *folio, struct mem_cgroup *memcg);
	u64 cgroup_id;
	u32 folio_data_size;
	u32 flags;
	char name[16];
	u32 tick_ms;
	u32 nr_lists;
	u64 pin_pages;
	s32 procs_fd;
};

/* Flag of scans and selections: from the tail. */
#define CACHE_EXT_SCAN_TAIL 1
/* Flag of cache_ext_ops: nothing in records is wider than 4 bytes. */
#define CACHE_EXT_DATA_ALIGN4 1
/* Flag of cache_ext_ops: a folio's first access is not reported. */
#define CACHE_EXT_ONLY_REUSES 2

/* Members of cache_ext_ops, as bpf_prog->expected_attach_type counts them. */
enum cache_ext_member {
	CACHE_EXT_INIT = 0,
	CACHE_EXT_ADDED = 2,
	CACHE_EXT_ACCESSED = 3,
	CACHE_EXT_GONE = 4,
	CACHE_EXT_REMOVED = 5,
	CACHE_EXT_EVICT = 6,
	CACHE_EXT_TICK = 7,
	CACHE_EXT_ADMIT = 8,
	CACHE_EXT_MEMBERS,
};

enum cache_ext_stat_item {
	CES_ADDED,
	CES_ADOPTED,
	CES_ACCESSED,
	CES_REMOVED,
	CES_MISSES,
	CES_TICKS,
	CES_REQUESTS,
	CES_CALLS,
	CES_WANTED,
	CES_PROPOSED,
	CES_EVICTED,
	CES_REFUSED_DIRTY,
	CES_REFUSED_WRITEBACK,
	CES_REFUSED_LOCKED,
	CES_REFUSED_BUSY,
	CES_REFUSED_REFERENCED,
	CES_REFUSED_OTHER,
	CES_REFUSED_ADMISSION,
	CES_ADMIT_OVERRULED,
	CES_FALLBACK,
	CES_STALLED,
	CES_OVERRUNS,
	CES_OFFENCES,
	CES_CONTENDED,
	CES_NEAR_OOM,
	CES_NOMEM,
	CES_PIN_REFUSED,
	CES_PIN_KEPT,
	CES_PIN_OVERRULED,
	CES_RECLAIM_ASKED,
	CES_RECLAIM_DONE,
	CES_RECLAIM_LATE,
	CES_MIGRATED,
	CES_SPLIT,
	CES_PROG_NS,
	CES_MAPPED,
	CES_UNSEEN,
	CES_NR,
};

#endif
