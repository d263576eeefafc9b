// SPDX-License-Identifier: GPL-2.0
/* Pins all it can as it comes, and proposes everything, pinned or not. */
#include "../cache_ext.bpf.h"

#define EPERM 1
#define EDQUOT 122

u64 nr_kept, nr_over, nr_stayed, nr_wrong;

FIFO_INIT
SEC("struct_ops/folio_added") void added(u64 *ctx)
{
	struct folio *f = ARG_FOLIO(ctx);
	s32 ret = bpf_cache_ext_pin(f);

	bpf_cache_ext_list_add_tail(f, 0);
	if (!ret)
		__sync_fetch_and_add(&nr_kept, 1);
	else if (ret == -EDQUOT)
		__sync_fetch_and_add(&nr_over, 1);
	if (bpf_cache_ext_folio_pinned(f) != !ret || (ret && ret != -EDQUOT))
		__sync_fetch_and_add(&nr_wrong, 1);
}
SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	struct cache_ext_evict_ctx *c = ARG_EVICT(ctx);
	struct bpf_iter_cache_ext_list it;
	struct folio *f;
	s32 ret;

	bpf_iter_cache_ext_list_new(&it, ARG_MEMCG(ctx), 0);
	while ((f = bpf_iter_cache_ext_list_next(&it))) {
		ret = bpf_cache_ext_evict(c, f);
		if (ret == -EPERM)
			__sync_fetch_and_add(&nr_stayed, 1);
		if (c->nr_evicted >= c->request_nr_folios)
			break;
	}
	bpf_iter_cache_ext_list_destroy(&it);
}
POLICY("pins", .pin_pages = 1 << 30)
