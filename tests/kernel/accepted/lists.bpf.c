// SPDX-License-Identifier: GPL-2.0
/* The most lists possible; a folio's index selects its list; a hand goes round the lists. */
#include "../cache_ext.bpf.h"

#define LISTS 16448

u64 nr_failed, hand;

FIFO_INIT

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

POLICY("lists", .nr_lists = LISTS)
