// SPDX-License-Identifier: GPL-2.0
/* One call for both, but there is only one of both. */
#include "../prefetch.bpf.h"

SEC("struct_ops/swap_prefetch") void prefetch(u64 *ctx)
{
}

PREFETCHER("one_of_both", .swap_prefetch = (void *)prefetch, .flags = PREFETCH_EXT_ONE_CALL)
