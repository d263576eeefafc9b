// SPDX-License-Identifier: GPL-2.0
/* Proposes nothing in every other request (8 calls); proposes enough in the next one. */
#include "../cache_ext.bpf.h"

u64 calls;

FIFO_INIT
FIFO_ADDED

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	struct cache_ext_evict_ctx *c = ARG_EVICT(ctx);
	struct bpf_iter_cache_ext_list it;
	struct folio *f;

	if (__sync_fetch_and_add(&calls, 1) % 9 < 8)
		return;
	bpf_iter_cache_ext_list_new(&it, ARG_MEMCG(ctx), 0);
	while ((f = bpf_iter_cache_ext_list_next(&it)))
		if (!bpf_cache_ext_evict(c, f) && c->nr_evicted >= c->request_nr_folios)
			break;
	bpf_iter_cache_ext_list_destroy(&it);
}

POLICY("slow")
