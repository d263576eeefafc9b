// SPDX-License-Identifier: GPL-2.0
/* Wants to keep all, and has no quota. */
#include "../prefetch.bpf.h"

SEC("struct_ops/swap_out") void out(u64 *ctx)
{
	bpf_prefetch_ext_keep(ARG_OUT(ctx));
}

PREFETCHER("keep_none", .swap_out = (void *)out)
