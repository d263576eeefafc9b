// SPDX-License-Identifier: GPL-2.0
/* Writeback of what was written starts at once; nobody waits for it. */
#include "../prefetch.bpf.h"

SEC("struct_ops/file_written") void written(u64 *ctx)
{
	bpf_prefetch_ext_flush(ARG_RANGE(ctx), false);
}

PREFETCHER("flushing", .file_written = (void *)written)
