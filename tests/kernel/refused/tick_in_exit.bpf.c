// SPDX-License-Identifier: GPL-2.0
/* EXPECT: calling kernel function bpf_cache_ext_tick is not allowed */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED
FIFO_EVICT

SEC("struct_ops/exit") void exit_policy(u64 *ctx)
{
	bpf_cache_ext_tick((struct mem_cgroup *)ctx[0]);
}

POLICY("refused", .exit = (void *)exit_policy)
