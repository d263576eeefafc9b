/* SPDX-License-Identifier: GPL-2.0-only */
/* Made from compiler/contract.toml by scripts/contract.py. What a program shares with the kernel. */
#ifndef CPOL_CACHE_EXT_ABI_H
#define CPOL_CACHE_EXT_ABI_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct cache_ext_evict_ctx {
	u32 request_nr_folios;	/* pages wanted, at most 32 */
	s32 nid;	/* the NUMA node that reclaim is for */
	u32 nr_evicted;	/* pages proposed so far */
};
#pragma clang attribute pop

/* Not relocated: libbpf matches members by name, and drops those that the kernel lacks if they are 0. */
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

enum cache_ext_reason {
	CACHE_EXT_EVICTED = 0,
	CACHE_EXT_DELETED = 1,
};

/* Open-coded iterators, opaque, on the program's stack. */
struct bpf_iter_cache_ext_list {
	u64 opaque[4];
} __attribute__((aligned(8)));

struct bpf_iter_cache_ext_scan {
	u64 opaque[4];
} __attribute__((aligned(8)));

extern s32 bpf_cache_ext_list_add(struct folio *f, s32 list) CPOL_KSYM;
extern s32 bpf_cache_ext_list_add_tail(struct folio *f, s32 list) CPOL_KSYM;
extern s32 bpf_cache_ext_list_move(struct folio *f, s32 list, bool tail) CPOL_KSYM;
extern s32 bpf_cache_ext_list_del(struct folio *f) CPOL_KSYM;
extern s32 bpf_cache_ext_evict(struct cache_ext_evict_ctx *ctx, struct folio *f) CPOL_KSYM;
extern s32 bpf_cache_ext_offer(struct cache_ext_evict_ctx *ctx, struct folio *f, u64 score) CPOL_KSYM;
extern s32 bpf_cache_ext_select(struct cache_ext_evict_ctx *ctx, s32 list, u32 flags, u64 limit, u32 field) CPOL_KSYM;
extern s32 bpf_cache_ext_take_offers(struct cache_ext_evict_ctx *ctx) CPOL_KSYM;
extern u8 *bpf_cache_ext_folio_data(struct folio *f, const u32 rdwr_buf_size) CPOL_KSYM;
extern s32 bpf_cache_ext_folio_list(struct folio *f) CPOL_KSYM;
extern bool bpf_cache_ext_folio_executable(struct folio *f) CPOL_KSYM;
extern s32 bpf_cache_ext_pin(struct folio *f) CPOL_KSYM;
extern s32 bpf_cache_ext_unpin(struct folio *f) CPOL_KSYM;
extern s32 bpf_cache_ext_folio_pinned(struct folio *f) CPOL_KSYM;
extern u64 bpf_cache_ext_list_size(struct mem_cgroup *memcg, s32 list) CPOL_KSYM;
extern u64 bpf_cache_ext_size(struct mem_cgroup *memcg) CPOL_KSYM;
extern u64 bpf_cache_ext_capacity(struct mem_cgroup *memcg) CPOL_KSYM;
extern void bpf_cache_ext_tick(struct mem_cgroup *memcg) CPOL_KSYM;
extern u64 bpf_cache_ext_gone(struct mem_cgroup *memcg) CPOL_KSYM;
extern void bpf_cache_ext_reclaim(struct mem_cgroup *memcg, u64 pages, u64 gone) CPOL_KSYM;
extern void bpf_cache_ext_error(struct mem_cgroup *memcg, s32 code, const char *message__str) CPOL_KSYM;
extern int bpf_iter_cache_ext_list_new(struct bpf_iter_cache_ext_list *it, struct mem_cgroup *memcg, s32 list) CPOL_KSYM;
extern struct folio *bpf_iter_cache_ext_list_next(struct bpf_iter_cache_ext_list *it) CPOL_KSYM;
extern void bpf_iter_cache_ext_list_destroy(struct bpf_iter_cache_ext_list *it) CPOL_KSYM;
extern int bpf_iter_cache_ext_scan_new(struct bpf_iter_cache_ext_scan *it, struct mem_cgroup *memcg, s32 list, u32 flags, u64 limit) CPOL_KSYM;
extern struct folio *bpf_iter_cache_ext_scan_next(struct bpf_iter_cache_ext_scan *it) CPOL_KSYM;
extern void bpf_iter_cache_ext_scan_destroy(struct bpf_iter_cache_ext_scan *it) CPOL_KSYM;

#endif
