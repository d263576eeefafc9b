// SPDX-License-Identifier: GPL-2.0
/* Looks at thousands of folios before it proposes one: a call takes long. */
#include "../cache_ext.bpf.h"

#define LOOKED_AT 4096

u32 looked;

FIFO_INIT
FIFO_ADDED

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	struct cache_ext_evict_ctx *c = ARG_EVICT(ctx);
	struct bpf_iter_cache_ext_list it;
	struct folio *f;

	looked = 0;
	bpf_iter_cache_ext_list_new(&it, ARG_MEMCG(ctx), 0);
	while ((f = bpf_iter_cache_ext_list_next(&it)))
		if (++looked > LOOKED_AT && !bpf_cache_ext_evict(c, f) && c->nr_evicted >= c->request_nr_folios)
			break;
	bpf_iter_cache_ext_list_destroy(&it);
}

POLICY("looks")
