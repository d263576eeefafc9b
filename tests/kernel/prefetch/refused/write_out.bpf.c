// SPDX-License-Identifier: GPL-2.0
/* EXPECT: only read is supported */
/* The verifier refuses it: what is told is only read. */
#include "../prefetch.bpf.h"

SEC("struct_ops/swap_out") void handler(u64 *ctx)
{
	ARG_OUT(ctx)->pages = 1;
}

PREFETCHER("write_out", .keep_pages = 1, .swap_out = (void *)handler)
