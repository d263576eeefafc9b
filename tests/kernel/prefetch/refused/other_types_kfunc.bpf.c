// SPDX-License-Identifier: GPL-2.0
/* EXPECT: calling kernel function bpf_cache_ext_size is not allowed */
#include "../prefetch.bpf.h"

SEC("struct_ops/swap_fault") void fault(u64 *ctx)
{
	bpf_cache_ext_size((struct mem_cgroup *)ctx[1]);
}

PREFETCHER("other_kfunc", .swap_fault = (void *)fault)
