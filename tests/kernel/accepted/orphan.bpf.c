// SPDX-License-Identifier: GPL-2.0
/*
 * Offers as many folios as there may be candidates, proposes others, and then takes the candidates, for which there is no room any
 * more: they must find back to their list. At the end each call leaves candidates behind.
 */
#include "../cache_ext.bpf.h"

u64 offered, proposed, taken, left;

FIFO_INIT
FIFO_ADDED

static inline __attribute__((always_inline)) void offer_some(struct cache_ext_evict_ctx *c, struct mem_cgroup *memcg, u64 *count)
{
	struct bpf_iter_cache_ext_scan it;
	struct folio *f;

	bpf_iter_cache_ext_scan_new(&it, memcg, 0, 0, 32);
	while ((f = bpf_iter_cache_ext_scan_next(&it)))
		if (!bpf_cache_ext_offer(c, f, 1))
			(*count)++;
	bpf_iter_cache_ext_scan_destroy(&it);
}

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	struct cache_ext_evict_ctx *c = ARG_EVICT(ctx);
	struct bpf_iter_cache_ext_scan it;
	struct folio *f;

	offer_some(c, ARG_MEMCG(ctx), &offered);
	bpf_iter_cache_ext_scan_new(&it, ARG_MEMCG(ctx), 0, 0, 16);
	while ((f = bpf_iter_cache_ext_scan_next(&it)))
		if (!bpf_cache_ext_evict(c, f))
			proposed++;
	bpf_iter_cache_ext_scan_destroy(&it);
	bpf_iter_cache_ext_scan_new(&it, ARG_MEMCG(ctx), 0, 0, 16);
	while ((f = bpf_iter_cache_ext_scan_next(&it)))
		if (!bpf_cache_ext_evict(c, f))
			proposed++;
	bpf_iter_cache_ext_scan_destroy(&it);
	taken += bpf_cache_ext_take_offers(c);
	offer_some(c, ARG_MEMCG(ctx), &left);
}

POLICY("orphan")
