// SPDX-License-Identifier: GPL-2.0
/* EXPECT: attach to unsupported member init of struct cache_ext_ops */
/* Who waits for a program must not wait for a page of the process that attached it. */
#include "../cache_ext.bpf.h"

FIFO_ADDED
FIFO_EVICT

SEC("struct_ops.s/init") s32 init(u64 *ctx)
{
	return 0;
}

POLICY("refused")
