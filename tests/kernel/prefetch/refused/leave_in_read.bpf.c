// SPDX-License-Identifier: GPL-2.0
/* EXPECT: calling kernel function bpf_prefetch_ext_leave is not allowed */
#include "../prefetch.bpf.h"

SEC("struct_ops/file_read") void handler(u64 *ctx)
{
	bpf_prefetch_ext_leave(ARG_RANGE(ctx));
}

PREFETCHER("leave_in_read", .file_read = (void *)handler)
