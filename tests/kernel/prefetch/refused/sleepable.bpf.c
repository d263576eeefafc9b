// SPDX-License-Identifier: GPL-2.0
/* The verifier refuses it. */
#include "../prefetch.bpf.h"

SEC("struct_ops.s/swap_prefetch") void prefetch(u64 *ctx)
{
}

PREFETCHER("sleepable", .swap_prefetch = (void *)prefetch)
