// SPDX-License-Identifier: GPL-2.0
/* Hostile: goes through all slots of the device, whosever they are. */
#include "../prefetch.bpf.h"

static u64 next;

SEC("struct_ops/swap_prefetch") void prefetch(u64 *ctx)
{
	struct prefetch_ext_fault *f = ARG_FAULT(ctx);
	u64 slots = f->slots;

	FOR(i, 64)
		if (slots)
			bpf_prefetch_ext_slot(f, next++ % slots);
}

PREFETCHER("all_slots", .swap_prefetch = (void *)prefetch, .waste_percent = 100)
