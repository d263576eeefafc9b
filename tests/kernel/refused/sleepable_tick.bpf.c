// SPDX-License-Identifier: GPL-2.0
/* EXPECT: attach to unsupported member tick of struct cache_ext_ops */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED
FIFO_EVICT

SEC("struct_ops.s/tick") void tick(u64 *ctx)
{
	bpf_cache_ext_tick((struct mem_cgroup *)ctx[0]);
}

POLICY("refused", .tick = (void *)tick, .tick_ms = 100)
