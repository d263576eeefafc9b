// SPDX-License-Identifier: GPL-2.0
/* Two lists, nested iterators, rotation, moves between lists, from the tail. */
#include "../cache_ext.bpf.h"

FIFO_INIT

FIFO_ADDED

SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
	bpf_cache_ext_list_move(ARG_FOLIO(ctx), 1, true);
}

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	struct cache_ext_evict_ctx *c = ARG_EVICT(ctx);
	struct mem_cgroup *memcg = ARG_MEMCG(ctx);
	struct bpf_iter_cache_ext_scan outer;
	struct bpf_iter_cache_ext_list inner;
	struct folio *f, *g;

	bpf_iter_cache_ext_scan_new(&outer, memcg, 1, 1, 16);
	while ((f = bpf_iter_cache_ext_scan_next(&outer))) {
		bpf_cache_ext_list_move(f, 1, false);
		bpf_iter_cache_ext_list_new(&inner, memcg, 0);
		while ((g = bpf_iter_cache_ext_list_next(&inner))) {
			if (g->index & 1)
				bpf_cache_ext_list_move(g, 0, true);
			else
				bpf_cache_ext_evict(c, g);
			if (c->nr_evicted >= c->request_nr_folios)
				break;
		}
		bpf_iter_cache_ext_list_destroy(&inner);
		if (c->nr_evicted >= c->request_nr_folios)
			break;
		bpf_cache_ext_evict(c, f);
	}
	bpf_iter_cache_ext_scan_destroy(&outer);
}

POLICY("nested", .nr_lists = 2, .folio_accessed = (void *)accessed)
