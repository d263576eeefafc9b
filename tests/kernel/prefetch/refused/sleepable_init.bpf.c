// SPDX-License-Identifier: GPL-2.0
/* EXPECT: attach to unsupported member init of struct prefetch_ext_ops */
/* Who waits for a program must not wait for a page of the process that attached it. */
#include "../prefetch.bpf.h"

SEC("struct_ops.s/init") s32 handler(u64 *ctx)
{
	return 0;
}

SEC("struct_ops/swap_fault") void fault(u64 *ctx)
{
}

PREFETCHER("refused", .init = (void *)handler, .swap_fault = (void *)fault)
