// SPDX-License-Identifier: GPL-2.0
/* Proposes only folios beyond 4 GiB in a file, which the test locks in memory (pages lock). */
#include "../cache_ext.bpf.h"

FIFO_INIT

SEC("struct_ops/folio_added") void added(u64 *ctx)
{
	struct folio *f = ARG_FOLIO(ctx);

	bpf_cache_ext_list_add_tail(f, f->index >> 20 ? 1 : 0);
}

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	struct cache_ext_evict_ctx *c = ARG_EVICT(ctx);
	struct bpf_iter_cache_ext_list it;
	struct folio *f;

	bpf_iter_cache_ext_list_new(&it, ARG_MEMCG(ctx), 1);
	while ((f = bpf_iter_cache_ext_list_next(&it)))
		if (!bpf_cache_ext_evict(c, f) && c->nr_evicted >= c->request_nr_folios)
			break;
	bpf_iter_cache_ext_list_destroy(&it);
}

POLICY("cannot_go", .nr_lists = 2)
