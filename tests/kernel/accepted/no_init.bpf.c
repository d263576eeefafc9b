// SPDX-License-Identifier: GPL-2.0
/* Its init fails. */
#include "../cache_ext.bpf.h"

FIFO_ADDED
FIFO_EVICT

SEC("struct_ops/init") s32 init(u64 *ctx)
{
	return -5;
}

POLICY("no_init", .nr_lists = 100)
