// SPDX-License-Identifier: GPL-2.0
/* Keeps the memory of the command `hot`. */
#include "../prefetch.bpf.h"

#define HOT 0x746f68ULL

SEC("struct_ops/swap_out") void out(u64 *ctx)
{
	struct prefetch_ext_swap_out *o = ARG_OUT(ctx);

	if (o->comm == HOT && !o->comm_rest)
		bpf_prefetch_ext_keep(o);
}

PREFETCHER("keep_hot", .keep_pages = 1ULL << 40, .swap_out = (void *)out)
