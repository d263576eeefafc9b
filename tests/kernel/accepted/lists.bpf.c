// SPDX-License-Identifier: GPL-2.0
/* The most lists possible; a folio's index selects its list; a hand goes round the lists. */
#include "../cache_ext.bpf.h"

#define LISTS 16448

/* Results of the calls in init: the first list of each call, and two errors. */
u64 first, second, third, none, beyond, nr_failed, hand;

SEC("struct_ops.s/init") s32 init(u64 *ctx)
{
	struct mem_cgroup *memcg = (struct mem_cgroup *)ctx[0];

	none = -bpf_cache_ext_lists_create(memcg, 0);
	first = bpf_cache_ext_list_create(memcg);
	second = bpf_cache_ext_lists_create(memcg, 16384);
	third = bpf_cache_ext_lists_create(memcg, LISTS - 16384 - 1);
	beyond = -bpf_cache_ext_lists_create(memcg, 1);
	return 0;
}

SEC("struct_ops/folio_added") void added(u64 *ctx)
{
	struct folio *f = ARG_FOLIO(ctx);
	s32 list = f->index % LISTS;

	if (bpf_cache_ext_list_add_tail(f, list) || bpf_cache_ext_folio_list(f) != list)
		__sync_fetch_and_add(&nr_failed, 1);
	if (bpf_cache_ext_list_move(f, LISTS, true) != -22)
		__sync_fetch_and_add(&nr_failed, 1);
}

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	struct cache_ext_evict_ctx *c = ARG_EVICT(ctx);
	struct bpf_iter_cache_ext_scan it;
	struct bpf_iter_num i;
	struct folio *f;

	/* The test's file has a folio on each of the first 16,384 lists. */
	bpf_iter_num_new(&i, 0, 256);
	while (bpf_iter_num_next(&i)) {
		s32 list = hand++ & 16383;

		bpf_iter_cache_ext_scan_new(&it, ARG_MEMCG(ctx), list, 0, 4);
		while ((f = bpf_iter_cache_ext_scan_next(&it)))
			bpf_cache_ext_evict(c, f);
		bpf_iter_cache_ext_scan_destroy(&it);
		if (c->nr_evicted >= c->request_nr_folios)
			break;
	}
	bpf_iter_num_destroy(&i);
}

POLICY("lists")
