// SPDX-License-Identifier: GPL-2.0
/* The next 8 pages, 3 apart. */
#include "../prefetch.bpf.h"

SEC("struct_ops/swap_prefetch") void prefetch(u64 *ctx)
{
	struct prefetch_ext_fault *f = ARG_FAULT(ctx);
	u64 page = f->page;

	FOR(i, 8)
		bpf_prefetch_ext_page(f, page + 3 * (i + 1));
}

PREFETCHER("stride", .swap_prefetch = (void *)prefetch)
