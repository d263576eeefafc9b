// SPDX-License-Identifier: GPL-2.0
/* EXPECT: attach to unsupported member exit of struct cache_ext_ops */
/* Who waits for a program must not wait for a page of the process that attached it. */
#include "../cache_ext.bpf.h"

FIFO_INIT
FIFO_ADDED
FIFO_EVICT

SEC("struct_ops.s/exit") void finish(u64 *ctx)
{
}

POLICY("refused", .exit = (void *)finish)
