// SPDX-License-Identifier: GPL-2.0
/*
 * Pins in each event, in the worst order: what leaves, what is proposed, what it unpinned to propose, twice, on all CPUs at
 * once. What it is told must fit.
 */
#include "../cache_ext.bpf.h"

#define ENOENT 2
#define EBUSY 16

u64 nr_wrong, nr_events;

static void wrong(bool is_so)
{
	if (is_so)
		__sync_fetch_and_add(&nr_wrong, 1);
}

FIFO_INIT
SEC("struct_ops/folio_added") void added(u64 *ctx)
{
	struct folio *f = ARG_FOLIO(ctx);

	__sync_fetch_and_add(&nr_events, 1);
	bpf_cache_ext_pin(f);
	bpf_cache_ext_pin(f);
	/* One in eight is left to the kernel, pinned as it is. */
	if (f->index % 8)
		bpf_cache_ext_list_add_tail(f, 0);
	if (f->index % 3 == 0)
		bpf_cache_ext_unpin(f);
}
SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
	struct folio *f = ARG_FOLIO(ctx);

	bpf_cache_ext_unpin(f);
	bpf_cache_ext_pin(f);
	bpf_cache_ext_list_move(f, 0, true);
	if (f->index % 16 == 1)
		bpf_cache_ext_list_del(f);
}
SEC("struct_ops/folio_removed") void removed(u64 *ctx)
{
	struct folio *f = ARG_FOLIO(ctx);

	/* It is dying, or (in a hand-over to another policy) another life of it has begun. */
	bpf_cache_ext_pin(f);
	wrong(bpf_cache_ext_folio_pinned(f) == 1);
	bpf_cache_ext_unpin(f);
}
SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	struct cache_ext_evict_ctx *c = ARG_EVICT(ctx);
	struct bpf_iter_cache_ext_list it;
	struct folio *f;
	s32 ret;

	bpf_iter_cache_ext_list_new(&it, ARG_MEMCG(ctx), 0);
	while ((f = bpf_iter_cache_ext_list_next(&it))) {
		bpf_cache_ext_unpin(f);
		if (f->index % 5 == 0)
			bpf_cache_ext_pin(f);
		if (f->index % 2)
			ret = bpf_cache_ext_evict(c, f);
		else
			ret = bpf_cache_ext_offer(c, f, f->index);
		if (!ret && f->index % 2) {
			ret = bpf_cache_ext_pin(f);
			wrong(ret != -EBUSY && ret != -ENOENT);
		}
		if (c->nr_evicted >= c->request_nr_folios)
			break;
	}
	bpf_iter_cache_ext_list_destroy(&it);
	bpf_cache_ext_take_offers(c);
}
POLICY("pinning", .folio_removed = (void *)removed, .folio_accessed = (void *)accessed, .pin_pages = 3000)
