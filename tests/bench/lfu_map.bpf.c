// SPDX-License-Identifier: GPL-2.0
/*
 * stdlib/lfu with its counts in a BPF hash map, keyed by the folio's address, as the policies of cache_ext (SOSP '25) do. It is
 * compared with lfu, which keeps counts in the folio's record. List, sample and candidates are the same.
 */
#include "../kernel/cache_ext.bpf.h"

#define BPF_MAP_TYPE_HASH 1
#define SAMPLE 512
#define MOST_FOLIOS 20480 /* the largest cgroup of kernel-cost has 16,384 pages */

static void *(*const map_lookup)(void *map, const void *key) = (void *)1;
static long (*const map_update)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*const map_delete)(void *map, const void *key) = (void *)3;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MOST_FOLIOS);
	__type(key, u64);
	__type(value, u32);
} counts SEC(".maps");

FIFO_INIT

SEC("struct_ops/folio_added") void added(u64 *ctx)
{
	u64 key = ctx[0];
	u32 one = 1;

	map_update(&counts, &key, &one, 0);
	bpf_cache_ext_list_add_tail(ARG_FOLIO(ctx), 0);
}

SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
	u64 key = ctx[0];
	u32 *count = map_lookup(&counts, &key);

	if (count && *count < (u32)-1)
		*count += 1;
}

SEC("struct_ops/folio_removed") void removed(u64 *ctx)
{
	u64 key = ctx[0];

	map_delete(&counts, &key);
}

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	struct cache_ext_evict_ctx *c = ARG_EVICT(ctx);
	struct bpf_iter_cache_ext_scan it;
	struct folio *f;

	bpf_iter_cache_ext_scan_new(&it, ARG_MEMCG(ctx), 0, 0, SAMPLE);
	while ((f = bpf_iter_cache_ext_scan_next(&it))) {
		u64 key = (u64)f;
		u32 *count = map_lookup(&counts, &key);

		bpf_cache_ext_offer(c, f, count ? *count : 0);
	}
	bpf_iter_cache_ext_scan_destroy(&it);
	bpf_cache_ext_take_offers(c);
}

POLICY("lfu_map", .folio_accessed = (void *)accessed, .folio_removed = (void *)removed, )

/* The manifest for the loader (runtime/machine/include/cpol/README.md). */
static const char manifest[] __attribute__((section(".cpol"), used)) = "cpol 1 lfu_map\n"
								       "lists queue\n"
								       "meta 0\n";
