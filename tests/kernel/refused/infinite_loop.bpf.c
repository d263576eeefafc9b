// SPDX-License-Identifier: GPL-2.0
/* EXPECT: infinite loop detected */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	struct cache_ext_evict_ctx *c = ARG_EVICT(ctx);

	while (c->nr_evicted < c->request_nr_folios)
		__asm__ volatile("");
}

POLICY("refused")
