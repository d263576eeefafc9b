// SPDX-License-Identifier: GPL-2.0
/* The next 8 slots. */
#include "../prefetch.bpf.h"

SEC("struct_ops/swap_prefetch") void prefetch(u64 *ctx)
{
	struct prefetch_ext_fault *f = ARG_FAULT(ctx);
	u64 slot = f->slot;

	FOR(i, 8)
		bpf_prefetch_ext_slot(f, slot + i + 1);
}

PREFETCHER("slots", .swap_prefetch = (void *)prefetch)
