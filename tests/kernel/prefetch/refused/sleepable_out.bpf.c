// SPDX-License-Identifier: GPL-2.0
/* The kernel refuses it: reclaim does not sleep for a program. */
#include "../prefetch.bpf.h"

SEC("struct_ops.s/swap_out") void handler(u64 *ctx)
{
}

PREFETCHER("sleepable_out", .swap_out = (void *)handler)
