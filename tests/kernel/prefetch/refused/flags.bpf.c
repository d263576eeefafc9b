// SPDX-License-Identifier: GPL-2.0
/* A flag that there is not. */
#include "../prefetch.bpf.h"

SEC("struct_ops/swap_fault") void fault(u64 *ctx)
{
}

PREFETCHER("flags", .swap_fault = (void *)fault, .flags = 2)
