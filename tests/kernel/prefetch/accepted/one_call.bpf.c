// SPDX-License-Identifier: GPL-2.0
/* The next 8 pages, 3 apart; and swap_prefetch tells of the fault, too, where it is asked. */
#include "../prefetch.bpf.h"

u64 nr_told, nr_new;

SEC("struct_ops/swap_fault") void fault(u64 *ctx)
{
	COUNT(nr_told);
}

SEC("struct_ops/swap_prefetch") void prefetch(u64 *ctx)
{
	struct prefetch_ext_fault *f = ARG_FAULT(ctx);
	u64 page = f->page;

	if (f->flags & PREFETCH_EXT_NEW)
		COUNT(nr_new);
	FOR(i, 8)
		bpf_prefetch_ext_page(f, page + 3 * (i + 1));
}

PREFETCHER("one_call", .swap_fault = (void *)fault, .swap_prefetch = (void *)prefetch, .flags = PREFETCH_EXT_ONE_CALL)
