/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Upstream's side of cache_ext (docs/upstream.md), declared by hand. kernel/profiles/upstream-2026.h declares it a second time, and
 * cpol compares each compiled object with that file.
 */
#ifndef CPOL_UPSTREAM_KERNEL_H
#define CPOL_UPSTREAM_KERNEL_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct folio_flags {
	unsigned long f;
};

struct folio {
	struct folio_flags flags;
	struct address_space *mapping;
	unsigned long index;
	unsigned int _nr_pages;
};

struct cpol_atomic {
	s64 counter;
};

struct page_counter {
	struct cpol_atomic usage; /* pages */
	unsigned long high;
	unsigned long max;
	struct page_counter *parent;
};

struct mem_cgroup {
	struct page_counter memory;
};

struct cache_ext_eviction_ctx {
	u64 request_nr_folios;
	int nid;
	u64 nr_evicted;
};

#pragma clang attribute pop

#define CPOL_FOLIO_FLAGS(f) ((f)->flags.f)
#define CPOL_LARGE_PAGES(f) ((f)->_nr_pages) /* only for a folio with PG_head */

struct cache_ext_ops {
	s32 (*init)(struct mem_cgroup *memcg);
	void (*evict_folios)(struct cache_ext_eviction_ctx *ctx, struct mem_cgroup *memcg);
	void (*folio_added)(struct folio *folio);
	void (*folio_accessed)(struct folio *folio);
	void (*folio_evicted)(struct folio *folio);
	bool (*admit_folio)(struct folio *folio);
	void (*exit)(struct mem_cgroup *memcg);
};

/* An open-coded iterator, on the program's stack. */
struct bpf_iter_cache_ext_list {
	u64 opaque[3];
} __attribute__((aligned(8)));

static long (*const bpf_map_update_elem)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*const bpf_map_delete_elem)(void *map, const void *key) = (void *)3;

extern s32 bpf_cache_ext_list_create(struct mem_cgroup *memcg) CPOL_KSYM;
extern int bpf_cache_ext_list_add(struct folio *folio, u64 list) CPOL_KSYM;
extern int bpf_cache_ext_list_add_tail(struct folio *folio, u64 list) CPOL_KSYM;
extern int bpf_cache_ext_list_move(struct folio *folio, u64 list, bool tail) CPOL_KSYM;
extern int bpf_cache_ext_evict(struct cache_ext_eviction_ctx *ctx, struct folio *folio) CPOL_KSYM;
extern int bpf_iter_cache_ext_list_new(struct bpf_iter_cache_ext_list *it, struct mem_cgroup *memcg, u64 list) CPOL_KSYM;
extern struct folio *bpf_iter_cache_ext_list_next(struct bpf_iter_cache_ext_list *it) CPOL_KSYM;
extern void bpf_iter_cache_ext_list_destroy(struct bpf_iter_cache_ext_list *it) CPOL_KSYM;

#endif
