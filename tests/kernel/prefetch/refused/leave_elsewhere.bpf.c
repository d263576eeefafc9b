// SPDX-License-Identifier: GPL-2.0
/* EXPECT: calling kernel function bpf_prefetch_ext_leave is not allowed */
#include "../prefetch.bpf.h"

SEC("struct_ops/file_readahead") void handler(u64 *ctx)
{
	bpf_prefetch_ext_leave((void *)ARG_RA(ctx));
}

PREFETCHER("leave_elsewhere", .file_readahead = (void *)handler)
