// SPDX-License-Identifier: GPL-2.0
/* Asks in each program whether folios are code: often, and of other folios than that of the event. */
#include "../cache_ext.bpf.h"

u64 nr_wrong, nr_code;

static void ask(struct folio *f)
{
	if (bpf_cache_ext_folio_executable(f) && bpf_cache_ext_folio_executable(f))
		__sync_fetch_and_add(&nr_code, 1);
}

static void ask_oldest(struct mem_cgroup *memcg)
{
	struct bpf_iter_cache_ext_scan it;
	struct folio *f;

	bpf_iter_cache_ext_scan_new(&it, memcg, 0, 0, 1);
	while ((f = bpf_iter_cache_ext_scan_next(&it)))
		ask(f);
	bpf_iter_cache_ext_scan_destroy(&it);
}

FIFO_INIT
SEC("struct_ops/folio_added") void added(u64 *ctx)
{
	ask(ARG_FOLIO(ctx));
	bpf_cache_ext_list_add_tail(ARG_FOLIO(ctx), 0);
	ask_oldest(ARG_MEMCG(ctx));
}
SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
	ask(ARG_FOLIO(ctx));
	ask_oldest(ARG_MEMCG(ctx));
}
SEC("struct_ops/folio_removed") void removed(u64 *ctx)
{
	/* What goes is none, and interrupts are off. */
	if (bpf_cache_ext_folio_executable(ARG_FOLIO(ctx)))
		__sync_fetch_and_add(&nr_wrong, 1);
	ask_oldest(ARG_MEMCG(ctx));
}
SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	struct bpf_iter_cache_ext_list it;
	struct folio *f;

	bpf_iter_cache_ext_list_new(&it, ARG_MEMCG(ctx), 0);
	while ((f = bpf_iter_cache_ext_list_next(&it))) {
		ask(f);
		if (bpf_cache_ext_evict(ARG_EVICT(ctx), f) || ARG_EVICT(ctx)->nr_evicted >= ARG_EVICT(ctx)->request_nr_folios)
			break;
		/* It is proposed by now. */
		ask(f);
	}
	bpf_iter_cache_ext_list_destroy(&it);
}
SEC("struct_ops/tick") void tick(u64 *ctx)
{
	ask_oldest((struct mem_cgroup *)ctx[0]);
}
POLICY("code", .folio_removed = (void *)removed, .folio_accessed = (void *)accessed, .tick = (void *)tick, .tick_ms = 10)
