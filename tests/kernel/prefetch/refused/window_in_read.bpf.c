// SPDX-License-Identifier: GPL-2.0
/* EXPECT: calling kernel function bpf_prefetch_ext_window is not allowed */
#include "../prefetch.bpf.h"

SEC("struct_ops/file_read") void handler(u64 *ctx)
{
	bpf_prefetch_ext_window(ARG_RANGE(ctx), 0);
}

PREFETCHER("window_in_read", .file_read = (void *)handler)
