// SPDX-License-Identifier: GPL-2.0
/* Hostile: takes every third folio, drops some on access, and proposes nothing except in every 64th call. */
#include "../cache_ext.bpf.h"

u64 calls;

FIFO_INIT

SEC("struct_ops/folio_added") void added(u64 *ctx)
{
	struct folio *f = ARG_FOLIO(ctx);

	if (f->index % 3 == 0)
		bpf_cache_ext_list_add(f, 0);
}

SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
	struct folio *f = ARG_FOLIO(ctx);

	if (f->index % 9 == 0)
		bpf_cache_ext_list_del(f);
}

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	struct cache_ext_evict_ctx *c = ARG_EVICT(ctx);
	struct bpf_iter_cache_ext_scan it;
	struct folio *f;

	if (__sync_fetch_and_add(&calls, 1) % 64)
		return;
	bpf_iter_cache_ext_scan_new(&it, ARG_MEMCG(ctx), 0, 1, 1000000);
	while ((f = bpf_iter_cache_ext_scan_next(&it)))
		bpf_cache_ext_offer(c, f, f->index);
	bpf_iter_cache_ext_scan_destroy(&it);
	/* The offers are not taken, so the kernel must put the folios back. */
}

POLICY("hostile", .folio_accessed = (void *)accessed)
