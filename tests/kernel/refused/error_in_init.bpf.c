// SPDX-License-Identifier: GPL-2.0
/* EXPECT: calling kernel function bpf_cache_ext_error is not allowed */
/* What init returns says it. */
#include "../cache_ext.bpf.h"

const char message[] SEC(".rodata") = "no";

FIFO_ADDED
FIFO_EVICT

SEC("struct_ops/init") s32 init(u64 *ctx)
{
	bpf_cache_ext_error((struct mem_cgroup *)ctx[0], 1, message);
	return 0;
}

POLICY("refused")
