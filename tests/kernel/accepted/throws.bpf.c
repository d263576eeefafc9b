// SPDX-License-Identifier: GPL-2.0
/* Its eviction program throws, which ends it: where the kernel has exceptions (bpf_throw) at all. */
#include "../cache_ext.bpf.h"

extern void bpf_throw(u64 cookie) KSYM;

FIFO_INIT
FIFO_ADDED

SEC("struct_ops/evict_folios") void evict(u64 *ctx)
{
	bpf_throw(1);
}

POLICY("throws")
