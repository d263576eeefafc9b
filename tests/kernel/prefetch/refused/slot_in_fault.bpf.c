// SPDX-License-Identifier: GPL-2.0
/* EXPECT: calling kernel function bpf_prefetch_ext_slot is not allowed */
#include "../prefetch.bpf.h"

SEC("struct_ops/swap_fault") void fault(u64 *ctx)
{
	bpf_prefetch_ext_slot(ARG_FAULT(ctx), 1);
}

PREFETCHER("slot_in_fault", .swap_fault = (void *)fault)
