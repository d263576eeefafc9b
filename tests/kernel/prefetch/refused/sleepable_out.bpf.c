// SPDX-License-Identifier: GPL-2.0
/* EXPECT: attach to unsupported member swap_out of struct prefetch_ext_ops */
/* The kernel refuses it: reclaim does not sleep for a program. */
#include "../prefetch.bpf.h"

SEC("struct_ops.s/swap_out") void handler(u64 *ctx)
{
}

PREFETCHER("sleepable_out", .swap_out = (void *)handler)
