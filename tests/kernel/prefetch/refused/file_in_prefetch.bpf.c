// SPDX-License-Identifier: GPL-2.0
/* EXPECT: calling kernel function bpf_prefetch_ext_file is not allowed */
/* The verifier refuses it. */
#include "../prefetch.bpf.h"

SEC("struct_ops/swap_prefetch") void prefetch(u64 *ctx)
{
	bpf_prefetch_ext_file((struct prefetch_ext_readahead *)ctx[0], 1, 1, 1);
}

PREFETCHER("file_in_prefetch", .swap_prefetch = (void *)prefetch)
