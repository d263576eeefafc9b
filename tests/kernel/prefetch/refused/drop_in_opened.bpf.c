// SPDX-License-Identifier: GPL-2.0
/* EXPECT: calling kernel function bpf_prefetch_ext_drop is not allowed */
#include "../prefetch.bpf.h"

SEC("struct_ops/file_opened") void handler(u64 *ctx)
{
	bpf_prefetch_ext_drop(ARG_RANGE(ctx));
}

PREFETCHER("drop_in_opened", .file_opened = (void *)handler)
