// SPDX-License-Identifier: GPL-2.0
/* order.h with bpf_cache_ext_offer() for each folio. */
#define OFFER offer_each
#include "order.h"

static __attribute__((always_inline)) int offer_each(u64 *ctx, struct cache_ext_evict_ctx *c, u32 flags, u64 limit)
{
	struct bpf_iter_cache_ext_scan it;
	struct record *r;
	struct folio *f;

	bpf_iter_cache_ext_scan_new(&it, ARG_MEMCG(ctx), 0, flags, limit);
	while ((f = bpf_iter_cache_ext_scan_next(&it))) {
		r = (struct record *)bpf_cache_ext_folio_data(f, sizeof(*r));
		bpf_cache_ext_offer(c, f, r ? r->score : 0);
	}
	bpf_iter_cache_ext_scan_destroy(&it);
	return 0;
}
