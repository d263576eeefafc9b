// SPDX-License-Identifier: GPL-2.0
/* EXPECT: calling kernel function bpf_prefetch_ext_keep is not allowed */
/* The verifier refuses it. */
#include "../prefetch.bpf.h"

SEC("struct_ops/swap_fault") void handler(u64 *ctx)
{
	bpf_prefetch_ext_keep((struct prefetch_ext_swap_out *)ctx[0]);
}

PREFETCHER("keep_in_fault", .swap_fault = (void *)handler)
