/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Offer 40 folios per call, from both ends in turn, with few different scores. @order is a hash of the indices of the evicted folios in
 * order. It must be the same whether the program offers each folio or calls bpf_cache_ext_select() (OFFER), and whether the score is in
 * a record behind the node or, with BYTE, is a record in the node.
 */
#include "../cache_ext.bpf.h"

#ifdef BYTE
struct record {
	u8 score;
};
#define FIELD (1 << 16)
#else
struct record {
	u16 spare;
	u16 score;
	u32 more;
};
#define FIELD (2 | 2 << 16)
#endif

#define FILE_PAGES 1000 /* the size of guest-lists' file */

u64 order, nr_gone, nr_errors, calls;

static __attribute__((always_inline)) int OFFER(u64 *ctx, struct cache_ext_evict_ctx *c, u32 flags, u64 limit);

FIFO_INIT

SEC("struct_ops/folio_added") void added(u64 *ctx)
{
	struct folio *f = ARG_FOLIO(ctx);
	struct record *r = (struct record *)bpf_cache_ext_folio_data(f, sizeof(*r));

	/* File system metadata may be in use, so leave it out. */
	if (f->index >= FILE_PAGES)
		return;
	if (r)
		r->score = ((u32)f->index * 2654435761U) >> 27;
	bpf_cache_ext_list_add_tail(f, 0);
}

/* Not atomic: one process reclaims, on one CPU. */
SEC("struct_ops/folio_removed") void removed(u64 *ctx)
{
	order = order * 31 + ARG_FOLIO(ctx)->index + 1;
	nr_gone++;
}

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	struct cache_ext_evict_ctx *c = ARG_EVICT(ctx);

	if (OFFER(ctx, c, calls++ & 1, 40))
		nr_errors++;
	bpf_cache_ext_take_offers(c);
}

POLICY("order", .folio_removed = (void *)removed, .folio_data_size = sizeof(struct record))
