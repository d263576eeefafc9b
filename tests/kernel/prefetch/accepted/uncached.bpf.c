// SPDX-License-Identifier: GPL-2.0
/* What was read leaves the cache, and so does what was written, when it is on the disk. */
#include "../prefetch.bpf.h"

SEC("struct_ops/file_read") void was_read(u64 *ctx)
{
	bpf_prefetch_ext_drop(ARG_RANGE(ctx));
}

SEC("struct_ops/file_written") void written(u64 *ctx)
{
	/* The core flushes first, whatever the order here. */
	bpf_prefetch_ext_drop(ARG_RANGE(ctx));
	bpf_prefetch_ext_flush(ARG_RANGE(ctx), true);
}

PREFETCHER("uncached", .file_read = (void *)was_read, .file_written = (void *)written)
