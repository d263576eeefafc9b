// SPDX-License-Identifier: GPL-2.0
/* EXPECT: only read is supported */
/* The verifier refuses it. */
#include "../prefetch.bpf.h"

SEC("struct_ops/file_written") void handler(u64 *ctx)
{
	ARG_RANGE(ctx)->pages = 1ULL << 40;
}

PREFETCHER("write_range", .file_written = (void *)handler)
