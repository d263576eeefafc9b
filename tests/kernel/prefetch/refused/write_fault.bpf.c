// SPDX-License-Identifier: GPL-2.0
/* EXPECT: only read is supported */
/* The verifier refuses it. */
#include "../prefetch.bpf.h"

SEC("struct_ops/swap_prefetch") void prefetch(u64 *ctx)
{
	ARG_FAULT(ctx)->slots = 1ULL << 40;
}

PREFETCHER("write_fault", .swap_prefetch = (void *)prefetch)
