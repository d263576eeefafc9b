// SPDX-License-Identifier: GPL-2.0
/* Its init fails. */
#include "../prefetch.bpf.h"

SEC("struct_ops/init") s32 init(u64 *ctx)
{
	return -5;
}

SEC("struct_ops/swap_fault") void fault(u64 *ctx)
{
}

PREFETCHER("no_init", .init = (void *)init, .swap_fault = (void *)fault)
