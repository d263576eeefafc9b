// SPDX-License-Identifier: GPL-2.0
/* EXPECT: attach to unsupported member exit of struct prefetch_ext_ops */
/* Who waits for a program must not wait for a page of the process that attached it. */
#include "../prefetch.bpf.h"

SEC("struct_ops.s/exit") void handler(u64 *ctx)
{
}

SEC("struct_ops/swap_fault") void fault(u64 *ctx)
{
}

PREFETCHER("refused", .exit = (void *)handler, .swap_fault = (void *)fault)
