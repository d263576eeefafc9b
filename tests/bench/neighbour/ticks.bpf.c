// SPDX-License-Identifier: GPL-2.0
/* Asks for a tick in each handler, and in each tick for the next. */
#include "cache_ext.bpf.h"

FIFO_INIT

SEC("struct_ops/folio_added") void added(u64 *ctx)
{
	bpf_cache_ext_tick(ARG_MEMCG(ctx));
	bpf_cache_ext_list_add_tail(ARG_FOLIO(ctx), 0);
}

SEC("struct_ops/folio_accessed") void accessed(u64 *ctx)
{
	bpf_cache_ext_tick(ARG_MEMCG(ctx));
}

FIFO_EVICT_AFTER(bpf_cache_ext_tick(ARG_MEMCG(ctx));)

SEC("struct_ops/tick") void tick(u64 *ctx)
{
	bpf_cache_ext_tick((struct mem_cgroup *)ctx[0]);
}

POLICY("ticks", .folio_accessed = (void *)accessed, .tick = (void *)tick, .tick_ms = 1)
