// SPDX-License-Identifier: GPL-2.0
/* Keeps all that is about to go out to swap, and says so twice; checks what it is told. */
#include "../prefetch.bpf.h"

#define SWAPPER 0x72657070617773ULL /* "swapper" */

u64 nr_pages, nr_large, nr_outside, nr_named, nr_unknown, nr_shared, nr_wrong;

SEC("struct_ops/swap_out") void out(u64 *ctx)
{
	struct prefetch_ext_swap_out *o = ARG_OUT(ctx);

	__sync_fetch_and_add(&nr_pages, o->pages);
	if (o->pages > 1)
		COUNT(nr_large);
	if (!o->area)
		COUNT(nr_unknown);
	else if (o->page < o->first || o->page > o->last || !o->pages || !o->process)
		COUNT(nr_outside);
	if (o->comm == SWAPPER && !o->comm_rest)
		COUNT(nr_named);
	if (o->flags & PREFETCH_EXT_SHARED)
		COUNT(nr_shared);
	if (bpf_prefetch_ext_keep(o) || bpf_prefetch_ext_keep(o))
		COUNT(nr_wrong);
}

PREFETCHER("keep_all", .keep_pages = 1ULL << 40, .swap_out = (void *)out)
