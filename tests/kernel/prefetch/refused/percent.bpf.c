// SPDX-License-Identifier: GPL-2.0
/* More than all cannot be wasted. */
#include "../prefetch.bpf.h"

SEC("struct_ops/swap_fault") void fault(u64 *ctx)
{
}

PREFETCHER("percent", .swap_fault = (void *)fault, .waste_percent = 101)
