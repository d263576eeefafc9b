// SPDX-License-Identifier: GPL-2.0
/* LFU of a bounded sample: records beside the nodes, scans from an end, offers, and every handler. */
#include "../cache_ext.bpf.h"

struct record {
	u32 hits;
	u32 spare;
};

u64 nr_evicted, nr_removed, nr_accessed, nr_exit;

FIFO_INIT

SEC("struct_ops/exit") void exit_policy(u64 *ctx)
{
	__sync_fetch_and_add(&nr_exit, 1);
}

SEC("struct_ops/folio_added") void added(u64 *ctx)
{
	struct folio *f = ARG_FOLIO(ctx);
	struct record *r = (struct record *)bpf_cache_ext_folio_data(f, sizeof(*r));

	if (r)
		r->hits = 1;
	bpf_cache_ext_list_add_tail(f, 0);
}

SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
	struct record *r = (struct record *)bpf_cache_ext_folio_data(ARG_FOLIO(ctx), sizeof(*r));

	if (r)
		r->hits++;
	__sync_fetch_and_add(&nr_accessed, 1);
}

SEC("struct_ops/folio_evicted") void evicted(u64 *ctx)
{
	__sync_fetch_and_add(&nr_evicted, 1);
}

SEC("struct_ops/folio_removed") void removed(u64 *ctx)
{
	if (bpf_cache_ext_folio_list(ARG_FOLIO(ctx)) == 0)
		__sync_fetch_and_add(&nr_removed, 1);
}

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	struct cache_ext_evict_ctx *c = ARG_EVICT(ctx);
	struct bpf_iter_cache_ext_scan it;
	struct record *r;
	struct folio *f;

	bpf_iter_cache_ext_scan_new(&it, ARG_MEMCG(ctx), 0, 0, 512);
	while ((f = bpf_iter_cache_ext_scan_next(&it))) {
		r = (struct record *)bpf_cache_ext_folio_data(f, sizeof(*r));
		bpf_cache_ext_offer(c, f, r ? r->hits : 0);
	}
	bpf_iter_cache_ext_scan_destroy(&it);
	bpf_cache_ext_take_offers(c);
}

POLICY("lfu-sample", .exit = (void *)exit_policy, .folio_accessed = (void *)accessed, .folio_evicted = (void *)evicted,
	.folio_removed = (void *)removed, .folio_data_size = sizeof(struct record))
