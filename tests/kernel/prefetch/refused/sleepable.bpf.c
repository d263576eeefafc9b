// SPDX-License-Identifier: GPL-2.0
/* EXPECT: attach to unsupported member swap_prefetch of struct prefetch_ext_ops */
/* The verifier refuses it. */
#include "../prefetch.bpf.h"

SEC("struct_ops.s/swap_prefetch") void prefetch(u64 *ctx)
{
}

PREFETCHER("sleepable", .swap_prefetch = (void *)prefetch)
