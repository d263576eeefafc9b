// SPDX-License-Identifier: GPL-2.0
/* Its init fails, after it has made lists. */
#include "../cache_ext.bpf.h"

FIFO_ADDED
FIFO_EVICT

SEC("struct_ops.s/init") s32 init(u64 *ctx)
{
	bpf_cache_ext_lists_create((struct mem_cgroup *)ctx[0], 100);
	return -5;
}

POLICY("no_init")
