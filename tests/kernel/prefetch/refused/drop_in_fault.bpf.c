// SPDX-License-Identifier: GPL-2.0
/* EXPECT: calling kernel function bpf_prefetch_ext_drop is not allowed */
/* The verifier refuses it. */
#include "../prefetch.bpf.h"

SEC("struct_ops/swap_fault") void handler(u64 *ctx)
{
	bpf_prefetch_ext_drop((struct prefetch_ext_range *)ctx[0]);
}

PREFETCHER("drop_in_fault", .swap_fault = (void *)handler)
