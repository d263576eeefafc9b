// SPDX-License-Identifier: GPL-2.0
/* Nothing is read ahead of files that are opened from now on. */
#include "../prefetch.bpf.h"

SEC("struct_ops/file_opened") void opened(u64 *ctx)
{
	/* The last one counts. */
	bpf_prefetch_ext_window(ARG_RANGE(ctx), 7);
	bpf_prefetch_ext_window(ARG_RANGE(ctx), 0);
}

PREFETCHER("no_window", .file_opened = (void *)opened)
