// SPDX-License-Identifier: GPL-2.0
/* EXPECT: calling kernel function bpf_prefetch_ext_error is not allowed */
#include "../prefetch.bpf.h"

SEC("struct_ops/init") s32 init(u64 *ctx)
{
	bpf_prefetch_ext_error((struct mem_cgroup *)ctx[0], 1, "no");
	return 0;
}

SEC("struct_ops/swap_fault") void fault(u64 *ctx)
{
}

PREFETCHER("error_in_init", .init = (void *)init, .swap_fault = (void *)fault)
