// SPDX-License-Identifier: GPL-2.0
/* EXPECT: is not allowed */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED
FIFO_EVICT

SEC("struct_ops/tick") void tick(u64 *ctx)
{
	struct bpf_iter_cache_ext_list it;

	bpf_iter_cache_ext_list_new(&it, (struct mem_cgroup *)ctx[0], 0);
	bpf_iter_cache_ext_list_next(&it);
	bpf_iter_cache_ext_list_destroy(&it);
}

POLICY("refused", .tick = (void *)tick, .tick_ms = 100)
