// SPDX-License-Identifier: GPL-2.0
/* Keeps what it may, which is 16 pages in a second. */
#include "../prefetch.bpf.h"

SEC("struct_ops/swap_out") void out(u64 *ctx)
{
	bpf_prefetch_ext_keep(ARG_OUT(ctx));
}

PREFETCHER("keep_few", .keep_pages = 16, .swap_out = (void *)out)
